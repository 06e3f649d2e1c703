// What --top remembers: the last minute by the second, the run as a whole, within limits.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "terminal/history.h"
#include "terminal/sums.h"
#include "terminal_profile.h"

namespace profile {
namespace {

using test::second_of;

std::map<std::string, TopSum> functions_of(const TopHistory& history, const std::vector<FlameTable::Cell>& cells) {
  const std::vector<TopSum> sums = function_sums(history.table(), cells);
  std::map<std::string, TopSum> by_name;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].total == 0) continue;
    TopSum& sum = by_name[std::string(history.table().view(history.table().functions()[i].name))];
    sum.self += sums[i].self;
    sum.total += sums[i].total;
  }
  return by_name;
}

std::uint64_t value_of(const std::vector<FlameTable::Cell>& cells) {
  std::uint64_t value = 0;
  for (const FlameTable::Cell& cell : cells) value += cell.value;
  return value;
}

TEST_CASE("a function's total counts a stack once, however often the function calls itself") {
  TopHistory history;
  history.add(second_of({{"app", 1, {"main", "fib", "fib", "fib"}, 5}, {"app", 1, {"main", "fib", "leaf"}, 2}}));
  const auto functions = functions_of(history, history.shown().all_cells());
  CHECK(functions.at("main").self == 0);
  CHECK(functions.at("main").total == 7);
  CHECK(functions.at("fib").self == 5);
  CHECK(functions.at("fib").total == 7);
  CHECK(functions.at("leaf").self == 2);
  CHECK(functions.at("leaf").total == 2);
}

TEST_CASE("selves add up to the whole, with all that the fixed profile has") {
  TopHistory history;
  history.add(test::fixed_profile());
  std::uint64_t selves = 0;
  for (const auto& [name, sum] : functions_of(history, history.shown().all_cells())) {
    selves += sum.self;
    CHECK(sum.total >= sum.self);
  }
  CHECK(selves == 92);
  CHECK(history.shown().value == 92);
  CHECK(functions_of(history, history.shown().all_cells()).at("[No Stack]").self == 2);
}

TEST_CASE("what was inlined, a tag and a missed kernel stack belong to the part they were in") {
  TopHistory history;
  Profile profile = second_of({{"app", 1, {"main", "k:vfs_read"}, 3}, {"app", 1, {"main"}, 4}});
  Row waiting = profile.rows()[0];
  waiting.tag = profile.strings.intern("[waits]");
  waiting.value = waiting.samples = 10;
  profile.add(waiting);
  Row missed = profile.rows()[1];
  missed.kernel = StackId::missed;
  missed.value = missed.samples = 100;
  profile.add(missed);
  history.add(profile);
  auto cells = history.shown().all_cells();
  keep_only(cells, history.table(), TopPart::kernel, TopTable::none);
  CHECK(value_of(cells) == 113);
  cells = history.shown().all_cells();
  keep_only(cells, history.table(), TopPart::user, TopTable::none);
  CHECK(value_of(cells) == 4);
}

TEST_CASE("the last minute is kept, and windows of it are made of the newest seconds") {
  TopHistory history;
  for (std::uint64_t i = 1; i <= 100; ++i) history.add(second_of({{"app", 1, {"main"}, i}}));
  CHECK(history.shown().ticks.size() == 60);
  CHECK(value_of(history.shown().last_cells(1)) == 100);
  CHECK(value_of(history.shown().last_cells(5)) == 100 + 99 + 98 + 97 + 96);
  CHECK(value_of(history.shown().last_cells(60)) == (41 + 100) * 60 / 2);
  CHECK(value_of(history.shown().all_cells()) == 5050);
  CHECK(history.shown().seconds == doctest::Approx(100));
}

TEST_CASE("profiles that come in between are part of a second") {
  TopHistory history;
  for (int i = 0; i < 40; ++i) history.add(second_of({{"app", 1, {"main"}, 1}}, 0.25));
  CHECK(history.shown().ticks.size() == 8);  // of 1.25 s
  CHECK(history.shown().ticks.front().value == 5);
  history.add(second_of({}, 0));
  CHECK(history.shown().ticks.size() == 8);
}

TEST_CASE("a run of any length stays within the limits and forgets no sample of functions and processes") {
  const TopHistory::Limits limits{
      .nodes = 400, .stacks = 1000, .text_bytes = 1 << 16, .functions = 50, .processes = 20};
  TopHistory history(limits);
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    std::vector<test::Seen> seen = {{"always", 1, {"main", "work"}, 3}};
    for (std::uint32_t j = 0; j < 10; ++j) {
      const std::string name = std::to_string(i) + "_" + std::to_string(j);
      seen.push_back({"brief" + name, 1000 + i * 10 + j, {"main", "f" + name, "k:g" + name}, 1});
    }
    history.add(second_of(seen));
    value += 13;
    // What one second brings is allowed on top.
    CHECK(history.table().nodes().size() <= limits.nodes + 40);
    CHECK(history.shown().stacks.size() <= limits.stacks + 20);
  }
  CHECK(history.shown().stacks_began_s > 0);
  CHECK(history.table().functions().size() < 1000);
  CHECK(history.table().processes().size() < 1000);

  std::vector<TopSum> functions = function_sums(history.table(), history.shown().all_cells());
  std::vector<std::uint64_t> processes = process_sums(history.table(), history.shown().all_cells());
  std::uint64_t selves = 0;
  std::uint64_t work = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (i < history.shown().functions.size()) functions[i].self += history.shown().functions[i].self;
    selves += functions[i].self;
    if (history.table().view(history.table().functions()[i].name) == "work") work += functions[i].self;
  }
  CHECK(selves == value);
  CHECK(work == 900);
  std::uint64_t of_processes = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    of_processes += processes[i] + (i < history.shown().processes.size() ? history.shown().processes[i] : 0);
  }
  CHECK(of_processes == value);
}

TEST_CASE("a new table leaves the last minute as it was") {
  // The first second alone is more than the limit, so that each second brings a new table; it is the last to be moved.
  const TopHistory::Limits limits{.nodes = 40};
  TopHistory renewed(limits);
  TopHistory whole;
  test::Seen deep{"deep", 9, {}, 1};
  for (int i = 0; i < 50; ++i) deep.functions.push_back("d" + std::to_string(i));
  for (TopHistory* const history : {&renewed, &whole}) {
    history->add(second_of({deep}));
    for (int i = 0; i < 4; ++i) {
      history->add(second_of({{"app", 1, {"main"}, 1},
                              {"app", 1, {"main", "a", "main"}, 2},
                              {"other", 2, {"start", "k:read"}, 4},
                              {"other", 3, {}, 8}}));
    }
  }
  REQUIRE(renewed.shown().stacks_began_s == doctest::Approx(4));
  REQUIRE(whole.shown().stacks_began_s == 0);
  REQUIRE(renewed.shown().ticks.size() == 5);
  const auto expected = functions_of(whole, whole.shown().last_cells(60));
  const auto found = functions_of(renewed, renewed.shown().last_cells(60));
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, sum] : expected) {
    CHECK(found.at(name).self == sum.self);
    CHECK(found.at(name).total == sum.total);
  }
  // Only the last second is there by stack; all of it is there by function.
  CHECK(value_of(renewed.shown().all_cells()) == 15);
  CHECK(renewed.shown().value == 61);
}

TEST_CASE("a picture that was stopped stays, even when the table is renewed meanwhile") {
  const TopHistory::Limits limits{.nodes = 100};
  TopHistory history(limits);
  history.add(second_of({{"app", 1, {"main", "work"}, 7}}));
  history.pause();
  for (int i = 0; i < 200; ++i) history.add(second_of({{"app", 1, {"main", "f" + std::to_string(i)}, 1}}));
  CHECK(functions_of(history, history.shown().last_cells(60)).at("work").self == 7);
  CHECK(history.shown().value == 7);
  CHECK(history.shown().account.recorded == 7);
  history.go_on();
  CHECK(history.shown().value == 207);
}

}  // namespace
}  // namespace profile
