// Tests why user stacks end: the words for it, and how pictures, tables and folded lines gather incomplete stacks.
#include "model/stack_end.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_profile.h"
#include "output/flame/table.h"
#include "output/output.h"
#include "terminal/model.h"

using namespace profile;

namespace {

std::string report(std::string_view format, const OutputOptions& options) {
  std::ostringstream out;
  find_output_format(format)->make(options).report(out, test::profile_with_ends());
  return out.str();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// "root;leaf VALUE" for each cell.
std::multiset<std::string> stacks_in(const FlameTable& table, const std::vector<FlameTable::Cell>& cells) {
  std::multiset<std::string> stacks;
  for (const FlameTable::Cell& cell : cells) {
    std::string text;
    for (FlameTable::Index node = cell.node; node != FlameTable::none; node = table.nodes()[node].parent) {
      const FlameTable::Frame& frame = table.frames()[table.nodes()[node].frame];
      text.insert(0, std::string(table.strings().view(frame.name)) + (text.empty() ? "" : ";"));
    }
    stacks.insert(text + " " + std::to_string(cell.value));
  }
  return stacks;
}

}  // namespace

TEST_CASE("the manual and the schema of JSON list each reason why a stack ends") {
  const std::string folder = std::string(PROFILE_TEST_DATA) + "/../../../man/";
  const auto text_of = [&folder](const char* name) {
    std::ifstream file(folder + name);
    REQUIRE(file);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string schema = text_of("profile.schema.json");
  const std::string manual = text_of("profile.8");
  const std::size_t user_end = schema.find("\"user_end\": {");
  REQUIRE(user_end != std::string::npos);
  const std::string allowed = schema.substr(user_end, schema.find('}', user_end) - user_end);
  for (std::size_t i = 0; i < static_cast<std::size_t>(StackEnd::count); ++i) {
    const auto end = static_cast<StackEnd>(i);
    const std::string key(words_of(end).key);
    CAPTURE(key);
    CHECK(contains(schema, '"' + key + "\": { \"$ref\""));  // of user_stack_ends
    if (end != StackEnd::unknown) CHECK(contains(allowed, '"' + key + '"'));
    if (is_incomplete(end)) CHECK(contains(manual, "Li " + key));
  }
}

TEST_CASE("every end of a stack has its own words, and its frame is recognised") {
  std::set<std::string_view> keys;
  std::set<std::string_view> words;
  std::set<std::string> frames;
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(StackEnd::count); ++i) {
    const auto end = static_cast<StackEnd>(i);
    CHECK(keys.insert(words_of(end).key).second);
    CHECK(words.insert(words_of(end).words).second);
    CHECK(words_of(end).frame.empty() != is_incomplete(end));
    if (is_incomplete(end)) CHECK(frames.insert(incomplete_frame(end)).second);
  }
  CHECK(incomplete_frame(StackEnd::no_cfi) == "[incomplete: no CFI]");
  CHECK(incomplete_frame(StackEnd::too_deep) == "[incomplete: too deep]");
}

TEST_CASE("ends of stacks are counted in samples, without stacks that could not be taken") {
  StackEndCounts counts;
  CHECK_FALSE(counts.any_known());
  counts.add(test::fixed_profile());
  CHECK_FALSE(counts.any_known());
  CHECK(counts.of(StackEnd::unknown) != 0);
  StackEndCounts told;
  told.add(test::profile_with_ends());
  CHECK(told.any_known());
  CHECK(told.all() == 19);
  CHECK(told.incomplete() == 7);
  counts.add(told);
  CHECK(counts.of(StackEnd::no_cfi) == 4);
}

TEST_CASE("pictures and tables gather incomplete stacks by reason at the root") {
  const Profile profile = test::profile_with_ends();
  FlameTable table;
  const std::vector<FlameTable::Cell> cells = table.add(profile);
  CHECK(stacks_in(table, cells) ==
        std::multiset<std::string>{"_start;main;work 12", "[incomplete: no CFI];inflate;vfs_read 4",
                                   "[incomplete: too deep];main;work 3", "[Missed User Stack] 1"});
  for (const char* const format : {"svg", "html", "speedscope"}) {
    CHECK_MESSAGE(contains(report(format, {}), "[incomplete: no CFI]"), format);
  }
  CHECK(contains(
      report("html", {}),
      "36.8 % of the user stacks are incomplete: 3 deeper than is taken (--max-stack-depth takes more), 4 no unwind"));
}

TEST_CASE("the option --top shows the frame of incomplete stacks as a function that is never the leaf") {
  TopModel model;
  model.add(test::profile_with_ends());
  bool is_there = false;
  for (const TopTableLine& line : model.lines(100)) {
    const TopTable::Function& function = model.table().functions()[line.row->item];
    if (model.table().view(function.name) != "[incomplete: no CFI]") continue;
    is_there = true;
    CHECK(line.row->value.self == 0);
    CHECK(line.row->value.total == 4);
  }
  CHECK(is_there);
}

TEST_CASE("folded lines gather incomplete stacks only with -a, and other text formats never") {
  CHECK(report("folded", {}) ==
        "app;[Missed User Stack] 1\napp;main;work 3\napp;inflate;vfs_read 4\napp;_start;main;work 12\n");
  CHECK(report("folded", {.delimited = true, .annotate = true}) ==
        "app;[Missed User Stack] 1\napp;[incomplete: too deep];main;work 3\n"
        "app;[incomplete: no CFI];inflate;-;vfs_read_[k] 4\napp;_start;main;work 12\n");
  for (const char* const format : {"counted", "residency", "table"}) {
    CHECK_MESSAGE(!contains(report(format, {.annotate = true}), "[incomplete"), format);
  }
}
