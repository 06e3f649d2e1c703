// Tests the memory of --top: the last minute by seconds, the whole run, and the limits.
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
  const std::vector<TopSum> sums = function_sums(history.shown().table, cells);
  const TopTable& table = history.shown().table;
  std::map<std::string, TopSum> by_name;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].total == 0) continue;
    TopSum& sum = by_name[std::string(table.view(table.functions()[i].name))];
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

TEST_CASE("the total of a function counts each stack once, even if the function calls itself") {
  TopHistory history;
  history.add(second_of({{"app", 1, {"main", "fib", "fib", "fib"}, 5}, {"app", 1, {"main", "fib", "leaf"}, 2}}));
  const auto functions = functions_of(history, history.shown().table.history().total());
  CHECK(functions.at("main").self == 0);
  CHECK(functions.at("main").total == 7);
  CHECK(functions.at("fib").self == 5);
  CHECK(functions.at("fib").total == 7);
  CHECK(functions.at("leaf").self == 2);
  CHECK(functions.at("leaf").total == 2);
}

TEST_CASE("a state takes the place of the seconds before it") {
  TopHistory history;
  for (const std::uint64_t in_use : {500, 800, 300}) {
    Profile profile = second_of({{"app", 1, {"main", "leak"}, in_use}, {"app", 1, {"main"}, 7}});
    profile.run.is_state = true;
    profile.account.taken += 10;
    profile.account.filtered += 10;
    history.add(profile);
  }
  CHECK(history.shown().value == 307);
  CHECK(functions_of(history, history.shown().table.history().total()).at("leak").total == 300);
  CHECK(history.shown().account.recorded == 307);
  CHECK(history.shown().account.filtered == 30);
  CHECK(history.shown().account.balanced());
}

TEST_CASE("the own values of all functions add up to the total of the fixed profile") {
  TopHistory history;
  history.add(test::fixed_profile());
  std::uint64_t selves = 0;
  for (const auto& [name, sum] : functions_of(history, history.shown().table.history().total())) {
    selves += sum.self;
    CHECK(sum.total >= sum.self);
  }
  CHECK(selves == 92);
  CHECK(history.shown().value == 92);
  CHECK(functions_of(history, history.shown().table.history().total()).at("[No Stack]").self == 2);
}

TEST_CASE("inlined functions, tags and missed kernel stacks belong to their part of the stack") {
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
  auto cells = history.shown().table.history().total();
  keep_only(cells, history.shown().table, TopPart::kernel);
  CHECK(value_of(cells) == 113);
  cells = history.shown().table.history().total();
  keep_only(cells, history.shown().table, TopPart::user);
  CHECK(value_of(cells) == 4);
}

TEST_CASE("the last minute is kept, and its windows have the newest seconds") {
  TopHistory history;
  for (std::uint64_t i = 1; i <= 100; ++i) history.add(second_of({{"app", 1, {"main"}, i}}));
  CHECK(history.shown().ticks().size() == 60);
  CHECK(value_of(history.shown().last_cells(1)) == 100);
  CHECK(value_of(history.shown().last_cells(5)) == 100 + 99 + 98 + 97 + 96);
  CHECK(value_of(history.shown().last_cells(60)) == (41 + 100) * 60 / 2);
  CHECK(value_of(history.shown().table.history().total()) == 5050);
  CHECK(history.shown().seconds == doctest::Approx(100));
}

TEST_CASE("short profiles are joined to ticks of about one second") {
  TopHistory history;
  for (int i = 0; i < 40; ++i) history.add(second_of({{"app", 1, {"main"}, 1}}, 0.25));
  CHECK(history.shown().ticks().size() == 8);  // of 1.25 s
  CHECK(history.shown().ticks().front().value == 5);
  history.add(second_of({}, 0));
  CHECK(history.shown().ticks().size() == 8);
}

TEST_CASE("a run of any length stays within the limits and keeps its sums") {
  const FlameHistory::Limits limits{.window_s = 5, .nodes = 400, .text_bytes = 1 << 16, .owners = 200, .cells = 1000};
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
    CHECK(history.shown().table.nodes().size() <= limits.nodes);
    CHECK(history.shown().table.history().total().size() <= limits.cells);
  }
  CHECK(history.shown().table.history().folded_nodes() > 0);
  CHECK(history.shown().table.functions().size() < 1000);
  CHECK(history.shown().table.processes().size() < 1000);

  const std::vector<FlameTable::Cell> cells = history.shown().table.history().total();
  const auto functions = functions_of(history, cells);
  std::uint64_t selves = 0;
  for (const auto& [name, sum] : functions) selves += sum.self;
  CHECK(selves == value);
  CHECK(functions.at("work").self == 900);
  std::uint64_t of_processes = 0;
  for (const std::uint64_t sum : process_sums(history.shown().table, cells)) of_processes += sum;
  CHECK(of_processes == value);
  CHECK(history.shown().value == value);
}

TEST_CASE("old processes with one name are joined to one entry without an id") {
  TopHistory history({.window_s = 5, .owners = 100});
  for (std::uint32_t i = 0; i < 300; ++i) history.add(second_of({{"cc1", 1000 + i, {"main"}, 1}}));
  const TopTable& table = history.shown().table;
  const std::vector<std::uint64_t> sums = process_sums(table, table.history().total());
  std::uint64_t earlier = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (pid_text(table.processes()[i]) == "earlier") earlier += sums[i];
  }
  CHECK(earlier >= 200);
  CHECK(pid_text(table.processes().back()) == "1299");
}

TEST_CASE("folding does not change the last minute") {
  // Each second has more nodes than the limit, so each is folded.
  const FlameHistory::Limits limits{.window_s = 60, .tick_s = 1.25, .nodes = 40};
  TopHistory folded(limits);
  TopHistory whole;
  for (TopHistory* const history : {&folded, &whole}) {
    for (int i = 0; i < 8; ++i) {
      history->add(second_of({{"app", 1, {"main"}, 1},
                              {"app", 1, {"main", "a", "f" + std::to_string(i)}, 2},
                              {"other", 2, {"start", "k:read", "k:g" + std::to_string(i)}, 4},
                              {"other", 3, {}, 8}}));
    }
  }
  REQUIRE(folded.shown().table.history().folded_nodes() == 0);
  for (TopHistory* const history : {&folded, &whole}) {
    std::vector<test::Seen> many;
    for (int i = 0; i < 50; ++i) many.push_back({"many", 9, {"main", "d" + std::to_string(i)}, 100});
    history->add(second_of(many));
    for (int i = 0; i < 70; ++i) history->add(second_of({{"app", 1, {"main", "b"}, 3}, {"dd", 4, {"k:copy"}, 1}}));
    history->add(second_of({{"app", 1, {"main", "c"}, 1000}}));
  }
  REQUIRE(folded.shown().table.history().folded_nodes() > 0);
  REQUIRE(whole.shown().table.history().folded_nodes() == 0);
  const auto expected = functions_of(whole, whole.shown().last_cells(60));
  const auto found = functions_of(folded, folded.shown().last_cells(60));
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, sum] : expected) {
    CHECK(found.at(name).self == sum.self);
    CHECK(found.at(name).total == sum.total);
  }
  CHECK(folded.shown().value == whole.shown().value);
}

TEST_CASE("a stopped picture stays, even if the history is folded") {
  const FlameHistory::Limits limits{.window_s = 60, .tick_s = 1.25, .nodes = 100};
  TopHistory history(limits);
  history.add(second_of({{"app", 1, {"main", "work"}, 7}}));
  history.toggle_pause();
  for (int i = 0; i < 200; ++i) history.add(second_of({{"app", 1, {"main", "f" + std::to_string(i)}, 1}}));
  CHECK(functions_of(history, history.shown().last_cells(60)).at("work").self == 7);
  CHECK(history.shown().value == 7);
  CHECK(history.shown().account.recorded == 7);
  history.toggle_pause();
  CHECK(history.shown().value == 207);
}

}  // namespace
}  // namespace profile
