// Tests that no name can break a line or control a terminal.
#include <doctest/doctest.h>

#include <string>

#include "output/clean_text.h"

namespace {

using namespace profile;

std::string clean(std::string_view text, Semicolon semicolon = Semicolon::replace) {
  std::string out;
  append_clean(out, text, semicolon);
  return out;
}

}  // namespace

TEST_CASE("ordinary names stay as they are") {
  for (const std::string_view name :
       {"main", "operator new[](unsigned long)", "a<b>::c(\"'&) const", "caf\xc3\xa9", "\xe2\x86\x92",
        "\xf0\x9f\x94\xa5", "\xc2\xa0", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", ""}) {
    CHECK(clean(name) == name);
  }
}

TEST_CASE("a semicolon becomes a colon in formats where it would split a line") {
  CHECK(clean("a;b;") == "a:b:");
  CHECK(clean("a;b;", Semicolon::keep) == "a;b;");
}

TEST_CASE("every control character becomes one question mark") {
  for (int byte = 0; byte < 0x20; ++byte) CHECK(clean(std::string(1, static_cast<char>(byte))) == "?");
  CHECK(clean("\x7f") == "?");
  for (int byte = 0x80; byte < 0xa0; ++byte) {
    CHECK(clean(std::string("\xc2") + static_cast<char>(byte)) == "?");
  }
  CHECK(clean("\x1b[31mred\x1b[0m\r\n") == "?[31mred?[0m??");
  CHECK(clean(std::string_view("a\0b", 3)) == "a?b");
}

TEST_CASE("characters that break lines or reverse text are replaced") {
  CHECK(clean("a\xe2\x80\xa8"
              "b\xe2\x80\xa9") == "a?b?");
  CHECK(clean("\xe2\x80\xae") == "?");
  CHECK(clean("\xe2\x81\xa6\xe2\x81\xa9") == "??");
  CHECK(clean("\xe2\x80\xa7\xe2\x80\xaf") == "\xe2\x80\xa7\xe2\x80\xaf");  // harmless neighbours of these characters
}

TEST_CASE("a byte order mark in a name is replaced") {
  CHECK(clean("\xef\xbb\xbfmain") == "?main");
  CHECK(clean("\xef\xbb\xbe") == "\xef\xbb\xbe");  // the neighbour of this character
}

TEST_CASE("each byte that is not UTF-8 becomes a question mark") {
  CHECK(clean("\x9b"
              "1m") == "?1m");  // a C1 control as a single byte
  CHECK(clean("\xff\xfe") == "??");
  CHECK(clean("\xc3") == "?");  // cut off
  CHECK(clean("\xe2\x86") == "??");
  CHECK(clean("\xc3;") == "?:");     // the next byte is read on its own
  CHECK(clean("\xc0\x9b") == "??");  // overlong ESC
  CHECK(clean("\xe0\x80\x9b") == "???");
  CHECK(clean("\xf0\x80\x80\x9b") == "????");
  CHECK(clean("\xed\xa0\x80") == "???");       // a surrogate
  CHECK(clean("\xf4\x90\x80\x80") == "????");  // beyond U+10FFFF
  CHECK(clean("\xf5\x80\x80\x80") == "????");
}
