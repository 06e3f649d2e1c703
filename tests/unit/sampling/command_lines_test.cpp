// Tests the line that is made of a program's arguments.
#include <doctest/doctest.h>

#include <string>

#include "sampling/command_lines.h"

using namespace profile;
using namespace std::string_literals;

TEST_CASE("arguments become one line, whose first word has no directories") {
  CHECK(command_line_of("/usr/lib/gcc/cc1plus\0-quiet\0/src/a.cpp\0"s, false) == "cc1plus -quiet /src/a.cpp");
  CHECK(command_line_of("./app\0"s, false) == "app");
  CHECK(command_line_of("make\0-j2\0"s, false) == "make -j2");
  CHECK(command_line_of("sh\0-c\0\0"s, false) == "sh -c");
  CHECK(command_line_of("sh\0\0x\0"s, false) == "sh  x");
}

TEST_CASE("what a program has written in place of its arguments stays as it is") {
  CHECK(command_line_of("sshd: user@pts/0"s, false) == "sshd: user@pts/0");
  CHECK(command_line_of(""s, false).empty());
  CHECK(command_line_of("\0\0\0"s, false).empty());
}

TEST_CASE("a line that is not whole says so") { CHECK(command_line_of("app\0aaaa"s, true) == "app aaaa ..."); }
