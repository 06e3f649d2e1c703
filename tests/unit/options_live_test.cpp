// The command line: what is kept apart in the rows, and how the line itself is kept.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "app/shell_words.h"
#include "options_words.h"

using namespace profile;

TEST_CASE("rows are kept apart by thread and by CPU when asked") {
  CHECK_FALSE(parsed({}).sampling.by_thread);
  CHECK_FALSE(parsed({}).sampling.by_cpu);
  CHECK(parsed({"--per-thread"}).sampling.by_thread);
  CHECK_FALSE(parsed({"--per-thread"}).sampling.by_cpu);
  CHECK(parsed({"--per-cpu"}).sampling.by_cpu);
}

TEST_CASE("the command line is kept as a shell would take it") {
  CHECK(parsed({"-F", "9", "-o", "it's.svg", "--", "sh", "-c", "echo $HOME"}).command_line ==
        "profile -F 9 -o 'it'\\''s.svg' -- sh -c 'echo $HOME'");
  CHECK(shell_quoted(std::array<const char*, 3>{"", "a b", "x=%Y"}) == "'' 'a b' x=%Y");
}
