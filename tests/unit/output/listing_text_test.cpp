// The listing of a function for people: columns, gaps, and texts from untrusted files.
#include "output/listing_text.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "output/clean_text.h"

using namespace profile;

namespace {

std::string text_of(const SourceListings& listings) {
  Profile profile;
  const ProcessId process = profile.process(1, 0, "program");
  profile.add({.process = process, .value = 200, .samples = 200});
  std::ostringstream out;
  write_listings(out, profile, listings);
  return std::move(out).str();
}

}  // namespace

TEST_CASE("a listing has the source with its shares, and the code below") {
  FunctionListing function{.name = "f",
                           .module = "prog",
                           .symbol = "f",
                           .value = {.total = 100, .self = 40},
                           .files = {},
                           .codes = {},
                           .places = {CodePlace{}}};
  function.files.push_back({.path = "/src/f.c",
                            .why_no_text = {},
                            .is_newer = true,
                            .lines = {{.line = 7, .text = "\tint a;", .value = {}},
                                      {.line = 12, .text = "a\033[2Jb", .value = {.total = 25, .self = 10}}}});
  function.codes.push_back(
      {.binary = "/bin/prog",
       .holder = "main",
       .why_none = {},
       .is_cut = true,
       .instructions = {{.address = 0x1130, .text = "nop", .line = 12, .value = {.total = 25, .self = 10}},
                        {.address = 0x1131, .text = "retq", .line = 0, .value = {}}}});
  function.codes.push_back({.binary = "/bin/o\nther", .holder = {}, .why_none = "gone", .instructions = {}});
  SourceListings listings;
  listings.functions.push_back(std::move(function));
  CHECK(text_of(listings) ==
        "f [prog]: 100 of 200 samples, 50.0%; itself 40, 20.0%\n"
        "\n/src/f.c\n"
        "(changed after the program was built: its lines may be others)\n"
        " SHARE  TOTAL   SELF  LINE  SOURCE\n"
        "                         7          int a;\n"
        "   ...\n"
        " 25.0%     25     10    12  a?[2Jb\n"
        "\nCode in /bin/prog, inlined in main\n"
        " SHARE  TOTAL   SELF  LINE  INSTRUCTION\n"
        " 25.0%     25     10    12  1130  nop\n"
        "                            1131  retq\n"
        "(the rest is left out)\n"
        "\nCode in /bin/o?ther\n"
        "(not shown: gone)\n");
}

TEST_CASE("a function of which nothing is known says so") {
  SourceListings listings;
  listings.functions.push_back({.name = "g",
                                .module = {},
                                .symbol = "g",
                                .value = {.total = 1, .self = 1},
                                .files = {},
                                .codes = {},
                                .places = {}});
  CHECK(text_of(listings) ==
        "g: 1 of 200 samples, 0.5%; itself 1, 0.5%\n"
        "(no source line is known)\n"
        "(no address of it is recorded; pprof and JSON of a program have them)\n");
}

TEST_CASE("tabs of a source are blanks up to the next multiple of eight") {
  CHECK(clean_source_text("\tx") == "        x");
  CHECK(clean_source_text("ab\tx") == "ab      x");
  CHECK(clean_source_text("12345678\tx") == "12345678        x");
  CHECK(clean_source_text("\xc3\xa4\tx\r") == "\xc3\xa4       x?");
  CHECK(clean_source_text("") == "");
}
