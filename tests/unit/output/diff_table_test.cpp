// Tests the table of a comparison, with made-up profiles whose difference is known.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "output/flame/comparison.h"
#include "output/flame/diff_table.h"

using namespace profile;

namespace {

std::string compared(const std::string& before, const std::string& after,
                     const DiffOptions& options = {.unit = "samples"}) {
  const FlameComparison flames =
      compare_flames(read_folded(before, "before"), read_folded(after, "after"),
                     options.show_modules ? SameFunction::by_name_and_module : SameFunction::by_name);
  std::ostringstream out;
  write_diff_table(out, {.name = "before", .cells = flames.before}, {.name = "after", .cells = flames.after},
                   flames.table, options);
  return out.str();
}

// The rows of the table that follows `title`. Each run of spaces becomes one space.
std::vector<std::string> rows(const std::string& text, const std::string& title) {
  std::istringstream in(text.substr(text.find(title)));
  std::string line;
  std::getline(in, line);
  std::getline(in, line);  // the headings
  std::vector<std::string> found;
  while (std::getline(in, line) && !line.empty()) {
    std::istringstream words(line);
    std::string row;
    for (std::string word; words >> word;) row += (row.empty() ? "" : " ") + word;
    found.push_back(row);
  }
  return found;
}

}  // namespace

TEST_CASE("a comparison compares shares, not values") {
  // The run takes twice as long, and `slow` takes over half of the share of `fast`.
  const std::string text = compared("app;main;fast 60\napp;main;slow 40\n", "app;main;fast 60\napp;main;slow 140\n");
  CHECK(rows(text, "that gained") == std::vector<std::string>{"40.00% 70.00% +30.00 40.00% 70.00% +30.00 slow"});
  CHECK(rows(text, "that lost") == std::vector<std::string>{"60.00% 30.00% -30.00 60.00% 30.00% -30.00 fast"});
  CHECK(text.find("after (200 samples) compared with before (100 samples)") == 0);
  CHECK(text.find("main") == std::string::npos);
}

TEST_CASE("the headings say which is before and after, and a terminal shows small changes in grey") {
  const std::string before = "app;big 500\napp;small 300\napp;rest 200\n";
  const std::string after = "app;big 600\napp;small 304\napp;rest 96\n";
  const std::string plain = compared(before, after);
  CHECK(plain.find("SELF BEFORE   AFTER  CHANGE  TOTAL BEFORE   AFTER  CHANGE  FUNCTION\n") != std::string::npos);
  CHECK(plain.find('\x1b') == std::string::npos);
  const std::string coloured = compared(before, after, {.unit = "samples", .is_coloured = true});
  CHECK(coloured.find("\x1b[90m     30.00%  30.40%   +0.40        30.00%  30.40%   +0.40  small\x1b[0m\n") !=
        std::string::npos);
  CHECK(coloured.find("     50.00%  60.00%  +10.00        50.00%  60.00%  +10.00  big\n") != std::string::npos);
}

namespace {

// keep() allocates `bytes` by malloc of the C library, and a cache always as much.
Profile heap(std::uint64_t bytes) {
  Profile profile;
  profile.run.unit = "bytes";
  profile.run.counted = "allocations";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId allocator = name.user(app, 0x1000, "malloc", "libc.so.6", 0);
  for (const auto& [function, size] : {std::pair("keep", bytes), std::pair("cache", std::uint64_t{1'000'000})}) {
    const FrameId own = name.user(app, 0x2000 + std::string_view(function).size(), function, "app", 0);
    Row row;
    row.process = app;
    row.user = profile.stack(std::vector{allocator, own});
    row.value = size;
    row.samples = 1;
    profile.add(row);
  }
  return profile;
}

}  // namespace

TEST_CASE("memory is compared in bytes, and belongs to what called the allocator") {
  const FlameComparison flames = compare_flames(heap(1'000'000), heap(3'500'000));
  std::ostringstream out;
  write_diff_table(out, {.name = "before", .cells = flames.before}, {.name = "after", .cells = flames.after},
                   flames.table, {.unit = "bytes"});
  const std::string text = std::move(out).str();
  CHECK(text.find("after (4500000 bytes) compared with before (2000000 bytes), in bytes") == 0);
  CHECK(rows(text, "that gained") == std::vector<std::string>{"1.0 MB 3.5 MB +2.5 MB 1.0 MB 3.5 MB +2.5 MB keep",
                                                              "0 B 0 B 0 B 2.0 MB 4.5 MB +2.5 MB malloc"});
  CHECK(text.find("No function lost.") != std::string::npos);
}

TEST_CASE("a function that calls itself counts once in its total") {
  const std::string text =
      compared("app;main;rec;rec;rec 10\napp;main;other 90\n", "app;main;rec;rec 30\napp;main;other 70\n");
  CHECK(rows(text, "that gained") == std::vector<std::string>{"10.00% 30.00% +20.00 10.00% 30.00% +20.00 rec"});
}

TEST_CASE("functions that gained by themselves come before their callers") {
  const std::string text = compared("app;main;caller;leaf 10\napp;main;idle 90\n",
                                    "app;main;caller;leaf 30\napp;main;caller;new 5\napp;main;idle 65\n");
  CHECK(rows(text, "that gained") == std::vector<std::string>{"10.00% 30.00% +20.00 10.00% 30.00% +20.00 leaf",
                                                              "0.00% 5.00% +5.00 0.00% 5.00% +5.00 new",
                                                              "0.00% 0.00% 0.00 10.00% 35.00% +25.00 caller"});
  CHECK(rows(compared("app;main;caller;leaf 10\napp;main;idle 90\n", "app;main;caller;leaf 30\napp;main;idle 70\n",
                      {.unit = "samples", .top = 1}),
             "that gained")
            .size() == 1);
}

TEST_CASE("a function is the same in all processes and at all lines, and with modules in one module only") {
  const std::string before = "a;main a.c:1;work [x.so] 1\nb;main a.c:2;work [y.so] 3\n";
  const std::string after = "c;main a.c:3;work [x.so] 3\nc;main a.c:3;work [y.so] 1\n";
  CHECK(compared(before, after).find("No function gained") != std::string::npos);
  CHECK(compared(before, after).find("No function lost") != std::string::npos);
  const std::string text = compared(before, after, {.unit = "samples", .show_modules = true});
  CHECK(rows(text, "that gained") == std::vector<std::string>{"25.00% 75.00% +50.00 25.00% 75.00% +50.00 work [x.so]"});
}

TEST_CASE("a comparison with an empty profile does not divide by zero") {
  const std::string text = compared("", "app;main 4\napp 6\n");
  CHECK(text.find("There is nothing in before") != std::string::npos);
  CHECK(rows(text, "that gained") == std::vector<std::string>{"0.00% 60.00% +60.00 0.00% 60.00% +60.00 [No Stack]",
                                                              "0.00% 40.00% +40.00 0.00% 40.00% +40.00 main"});
  CHECK(compared("app;main 4\n", "").find("There is nothing in after") != std::string::npos);
  CHECK(compared("", "").find("No function gained") != std::string::npos);
  CHECK(compared("app;main 0\n", "app;main 0\n").find("nan") == std::string::npos);
}

TEST_CASE("names in the table contain no control characters") {
  const std::string text = compared("app;main 1\n", "app;x\x1b[2Jy 1\n");
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("x?[2Jy") != std::string::npos);
}
