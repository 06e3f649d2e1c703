// Tests the tables of --top and its keys, without a terminal.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "terminal/model.h"
#include "terminal_profile.h"

namespace profile {
namespace {

using test::press;
using test::second_of;
using Names = std::vector<std::string>;

// The names of the visible rows, and the frames of an unfolded stack.
Names names_of(TopModel& model, std::size_t height = 100) {
  Names names;
  const TopTable& table = model.table();
  for (const TopTableLine& line : model.lines(height)) {
    const TopRow& row = *line.row;
    StringId name = row.process;
    if (line.is_frame) {
      name = table.functions()[table.nodes()[line.node].function].name;
    } else if (model.what() == TopWhat::functions) {
      name = table.functions()[row.item].name;
    } else if (model.what() == TopWhat::processes) {
      name = table.processes()[row.item].name;
    }
    names.push_back((line.is_selected ? ">" : "") + std::string(table.view(name)));
  }
  return names;
}

std::vector<std::uint64_t> selves_of(TopModel& model) {
  std::vector<std::uint64_t> values;
  for (const TopTableLine& line : model.lines(100)) values.push_back(line.row->value.self);
  return values;
}

// Two processes: "app" (1) has 60 in three stacks; "dd" (2) has 40, 30 of them in the kernel.
Profile two_processes() {
  return second_of({{"app", 1, {"main", "parse"}, 30},
                    {"app", 1, {"main", "write"}, 20},
                    {"app", 1, {"main"}, 10},
                    {"dd", 2, {"main", "k:read"}, 30},
                    {"dd", 2, {"copy"}, 10}});
}

TEST_CASE("functions are sorted by their own value, and by total or name on request") {
  TopModel model;
  model.add(two_processes());
  // `main` of app and `main` of dd are in different files, so they are two functions.
  CHECK(names_of(model) == Names{">parse", "read", "write", "main", "copy", "main"});
  CHECK(selves_of(model) == std::vector<std::uint64_t>{30, 30, 20, 10, 10, 0});
  REQUIRE(press(model, U"s"));
  CHECK(model.sort() == TopSort::total);
  CHECK(names_of(model) == Names{">main", "parse", "read", "main", "write", "copy"});
  REQUIRE(press(model, U"s"));
  CHECK(names_of(model) == Names{">copy", "main", "main", "parse", "read", "write"});
  REQUIRE(press(model, U"s"));
  CHECK(model.sort() == TopSort::self);
}

TEST_CASE("processes and stacks have their own tables, each with its own order") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"P"));
  CHECK(names_of(model) == Names{">app", "dd"});
  CHECK(selves_of(model) == std::vector<std::uint64_t>{60, 40});
  REQUIRE(press(model, U"s3"));
  CHECK(names_of(model) == Names{">app", "dd", "app", "app", "dd"});
  REQUIRE(model.on_key(TopKey::tab));
  CHECK(model.what() == TopWhat::functions);
  REQUIRE(model.on_key(TopKey::tab_back));
  REQUIRE(model.on_key(TopKey::tab_back));
  CHECK(model.what() == TopWhat::processes);
  CHECK(model.sort() == TopSort::name);
}

TEST_CASE("equal stacks of processes with one name are merged") {
  TopModel model;
  model.add(second_of({{"cc1", 10, {"main", "parse"}, 1}, {"cc1", 11, {"main", "parse"}, 1}, {"ld", 12, {"main"}, 1}}));
  REQUIRE(press(model, U"S"));
  CHECK(names_of(model) == Names{">cc1", "ld"});
  REQUIRE(press(model, U"P"));
  CHECK(model.row_count() == 3);
}

TEST_CASE("the filter ignores the case of letters in names and modules, and Esc clears it") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"/WRi"));
  CHECK(model.is_typing());
  CHECK(names_of(model) == Names{">write"});
  // While the filter is typed, keys are letters.
  REQUIRE(press(model, U"q"));
  CHECK(names_of(model).empty());
  REQUIRE(model.on_key(TopKey::backspace));
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(!model.is_typing());
  CHECK(model.filter() == "WRi");
  CHECK(model.total() == 100);  // shares still refer to the whole
  REQUIRE(press(model, U"S"));
  CHECK(model.row_count() == 1);
  REQUIRE(model.on_key(TopKey::escape));
  CHECK(model.row_count() == 5);
  REQUIRE(press(model, U"F/kernel"));
  CHECK(names_of(model) == Names{">read"});
  REQUIRE(model.on_key(TopKey::escape));
  REQUIRE(press(model, U"P/2"));
  CHECK(names_of(model) == Names{">dd"});
}

TEST_CASE("a filter accepts letters of any alphabet and no control characters") {
  TopModel model;
  model.add(second_of({{"app", 1, {"größe"}, 1}, {"app", 1, {"漢字"}, 1}}));
  REQUIRE(press(model, U"/\x1\x9b\u202e漢"));
  CHECK(model.filter() == "漢");
  CHECK(names_of(model) == Names{">漢字"});
  REQUIRE(model.on_key(TopKey::backspace));
  CHECK(model.filter().empty());
  REQUIRE(model.on_key(TopKey::backspace));
  for (int i = 0; i < 1000; ++i) REQUIRE(press(model, U"x"));
  CHECK(model.filter().size() <= 200);
}

TEST_CASE("the key Enter on a process shows only its functions and stacks, and Esc shows all again") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"P"));
  REQUIRE(model.on_key(TopKey::down));
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(model.process() == "dd (2)");
  CHECK(names_of(model) == Names{">read", "copy", "main"});
  CHECK(model.total() == 40);
  CHECK(model.total_of_all() == 100);
  REQUIRE(press(model, U"S"));
  CHECK(model.row_count() == 2);
  REQUIRE(model.on_key(TopKey::escape));
  CHECK(model.what() == TopWhat::processes);
  CHECK(model.row_count() == 2);
  CHECK(model.total() == 100);
}

TEST_CASE("the key Enter on a function shows all stacks with this function") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"s"));
  REQUIRE(model.on_key(TopKey::enter));  // app's main
  CHECK(model.what() == TopWhat::stacks);
  CHECK(model.function() == "main");
  CHECK(selves_of(model) == std::vector<std::uint64_t>{30, 20, 10});
  REQUIRE(model.on_key(TopKey::escape));
  CHECK(model.what() == TopWhat::functions);
  CHECK(model.function().empty());
}

TEST_CASE("the key Enter on a stack lists its frames, leaf first, and on one of these lines it closes the list") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"S/dd"));
  REQUIRE(model.on_key(TopKey::enter));
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(names_of(model) == Names{">dd", "read", "main", "dd"});
  REQUIRE(model.on_key(TopKey::down));
  REQUIRE(model.on_key(TopKey::down));
  CHECK(names_of(model) == Names{"dd", "read", ">main", "dd"});
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(names_of(model) == Names{">dd", "dd"});
}

TEST_CASE("the keys k and u show only the kernel or only user code, and the same key shows both again") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U"k"));
  CHECK(names_of(model) == Names{">read", "main"});  // `main` called `read`
  CHECK(model.total() == 30);
  REQUIRE(press(model, U"u"));
  CHECK(model.total() == 70);
  REQUIRE(press(model, U"uP"));
  CHECK(model.total() == 100);
  REQUIRE(press(model, U"k"));
  CHECK(names_of(model) == Names{">dd"});
}

TEST_CASE("the key w chooses the window: some seconds, or all since the start") {
  TopModel model;
  for (std::uint64_t i = 0; i < 30; ++i) model.add(second_of({{"app", 1, {"main"}, 1}}));
  CHECK(model.window_s() == 5);
  CHECK(model.total() == 5);
  REQUIRE(press(model, U"w"));
  CHECK(model.total() == 15);
  REQUIRE(press(model, U"w"));
  CHECK(model.total() == 30);
  REQUIRE(press(model, U"w"));
  CHECK(model.window_s() == 0);
  CHECK(model.total() == 30);
  REQUIRE(press(model, U"w"));
  CHECK(model.window_s() == 1);
  CHECK(model.total() == 1);
  REQUIRE(press(model, U"W"));
  CHECK(model.window_s() == 0);
}

TEST_CASE("the window since the start includes everything for functions, processes and stacks") {
  TopModel model(FlameHistory::Limits{.window_s = 5, .tick_s = 1.25, .nodes = 20});
  REQUIRE(press(model, U"www"));
  for (int i = 0; i < 50; ++i) {
    model.add(second_of({{"app", 1, {"main", "f" + std::to_string(i)}, 1}, {"dd", 2, {"copy"}, 1}}));
  }
  CHECK(model.table().history().folded_nodes() > 0);
  CHECK(model.total() == 100);
  REQUIRE(press(model, U"s"));
  CHECK(selves_of(model).at(0) == 50);  // copy
  REQUIRE(press(model, U"P"));
  CHECK(selves_of(model) == std::vector<std::uint64_t>{50, 50});
  REQUIRE(press(model, U"S"));
  CHECK(model.total() == 100);
  // A process that was chosen stays chosen when the history is folded.
  REQUIRE(press(model, U"P"));
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(model.process() == "app (1)");
  CHECK(model.total() == 50);
  for (int i = 0; i < 50; ++i) model.add(second_of({{"app", 1, {"g" + std::to_string(i)}, 1}, {"dd", 2, {"h"}, 1}}));
  CHECK(model.total() == 100);
  REQUIRE(press(model, U"w"));
  CHECK(names_of(model) == Names{">g49"});
}

TEST_CASE("a stopped picture stays during the sampling, and its tables can still be viewed") {
  TopModel model;
  model.add(two_processes());
  REQUIRE(press(model, U" "));
  for (int i = 0; i < 100; ++i) model.add(second_of({{"later", 3, {"later"}, 1}}));
  CHECK(names_of(model).size() == 6);
  REQUIRE(press(model, U"P"));
  CHECK(names_of(model) == Names{">app", "dd"});
  REQUIRE(press(model, U" "));
  CHECK(names_of(model) == Names{">later"});
}

TEST_CASE("a selected row stays selected when it moves, and a selected first line stays the first line") {
  TopModel model;
  model.add(two_processes());
  CHECK(names_of(model).front() == ">parse");
  model.add(second_of({{"dd", 2, {"copy"}, 100}}));
  CHECK(names_of(model).front() == ">copy");
  REQUIRE(model.on_key(TopKey::end));
  CHECK(names_of(model).back() == ">main");
  REQUIRE(model.on_key(TopKey::up));
  const std::string held = names_of(model)[4];
  CHECK(held == ">main");  // of app; dd's is below it and has no self
  model.add(second_of({{"app", 1, {"main"}, 1000}}));
  CHECK(names_of(model).front() == held);
  REQUIRE(model.on_key(TopKey::home));
  model.add(second_of({{"dd", 2, {"copy"}, 5000}}));
  CHECK(names_of(model).front() == ">copy");
}

TEST_CASE("the selected line is always visible") {
  TopModel model;
  std::vector<test::Seen> seen;
  for (std::uint64_t i = 0; i < 500; ++i) seen.push_back({"app", 1, {"f" + std::to_string(i)}, 500 - i});
  model.add(second_of(seen));
  const auto selected = [&model](std::size_t height) {
    for (const std::string& name : names_of(model, height)) {
      if (name.front() == '>') return name.substr(1);
    }
    return std::string();
  };
  CHECK(names_of(model, 10).size() == 10);
  REQUIRE(model.on_key(TopKey::page_down));
  CHECK(selected(10) == "f9");
  REQUIRE(model.on_key(TopKey::page_down));
  CHECK(selected(10) == "f18");
  CHECK(selected(1) == "f18");
  REQUIRE(model.on_key(TopKey::page_up));
  CHECK(selected(10) == "f17");  // a page of one line moves by one line
  REQUIRE(model.on_key(TopKey::end));
  CHECK(selected(10) == "f499");
  REQUIRE(model.on_key(TopKey::down));
  CHECK(selected(10) == "f499");
  REQUIRE(model.on_key(TopKey::home));
  REQUIRE(model.on_key(TopKey::up));
  CHECK(selected(10) == "f0");
}

TEST_CASE("a table shows at most a thousand rows and counts all of them") {
  TopModel model;
  std::vector<test::Seen> seen;
  for (int i = 0; i < 1500; ++i) seen.push_back({"app", 1, {"f" + std::to_string(i)}, 1});
  model.add(second_of(seen));
  CHECK(model.row_count() == 1500);
  CHECK(model.lines(5000).size() == TopRows::most);
}

TEST_CASE("keys do no harm without data, and the key q quits") {
  TopModel model;
  for (int pass = 0; pass < 2; ++pass) {
    for (int key = static_cast<int>(TopKey::up); key <= static_cast<int>(TopKey::tab_back); ++key) {
      CHECK(model.on_key(static_cast<TopKey>(key)));
      CHECK(model.lines(1).empty());
    }
    CHECK(press(model, U"fps123 kuwWzZ{ "));
    CHECK(press(model, U"h"));
    CHECK(model.shows_help());
    CHECK(model.on_key(TopKey::escape));
    CHECK(!model.shows_help());
    model.add(second_of({}));
  }
  CHECK(!press(model, U"q"));
}

TEST_CASE("processes of one name are one on request, also as the limit of the view and in the history") {
  TopModel model;
  model.add(
      second_of({{"cc1plus", 1, {"main", "parse"}, 30}, {"cc1plus", 2, {"main"}, 20}, {"make", 3, {"wait"}, 10}}));
  REQUIRE(press(model, U"pm"));
  CHECK(model.merges_processes());
  CHECK(names_of(model) == Names{">cc1plus", "make"});
  CHECK(selves_of(model) == std::vector<std::uint64_t>{50, 10});
  CHECK(model.lines(1).front().row->processes == 2);
  CHECK(model.histories_of(std::vector<TopTable::Index>{0, 2}, 60) == std::vector<std::vector<double>>{{50}, {10}});
  REQUIRE(model.on_key(TopKey::enter));
  CHECK(model.process() == "cc1plus");
  CHECK(model.total() == 50);
  // The one that was chosen is no process of the other kind.
  REQUIRE(press(model, U"m"));
  CHECK(model.process().empty());
  CHECK(model.total() == 60);
  REQUIRE(press(model, U"p"));
  CHECK(names_of(model) == Names{">cc1plus", "cc1plus", "make"});
}

TEST_CASE("the history of a process has values per second") {
  TopModel model;
  model.add(second_of({{"app", 1, {"main"}, 4}, {"dd", 2, {"k:read"}, 7}}, 2));
  model.add(second_of({{"app", 1, {"main"}, 3}}));
  const std::vector<TopTable::Index> processes = {0, 1};
  const auto histories = model.histories_of(processes, 60);
  CHECK(histories == std::vector<std::vector<double>>{{2, 3}, {3.5, 0}});
  CHECK(model.histories_of(processes, 1) == std::vector<std::vector<double>>{{3}, {0}});
}

}  // namespace
}  // namespace profile
