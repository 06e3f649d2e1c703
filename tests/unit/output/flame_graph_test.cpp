// Tests the layout of flame graphs: small graphs with known boxes, and rules for all graphs.
#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/flame/graph.h"
#include "output/flame/view.h"

using namespace profile;

namespace {

using Index = FlameTable::Index;
constexpr Index none = FlameTable::none;

// A table that the test fills by hand.
class Stacks {
 public:
  Index owner(std::string_view process, std::uint32_t tgid, std::string_view thread = "t") {
    return table.intern_owner({.process = table.intern(process), .tgid = tgid, .thread = table.intern(thread)});
  }
  // The node of a stack; `names` begin with the root.
  Index stack(const std::vector<std::string_view>& names) {
    Index node = none;
    for (const std::string_view name : names) {
      node = table.child(node, table.intern_frame({.name = table.intern(name)}));
    }
    return node;
  }

  FlameTable table;
};

// "  main 3+12, 5 itself, 4 before": one line for each box (start+total), indented by its depth.
std::vector<std::string> lines(const FlameGraph& graph) {
  std::vector<std::string> all;
  for (const FlameBox& box : graph.boxes()) {
    std::string line = std::string(box.depth, ' ') + graph.name_of(box) + ' ' + std::to_string(box.start) + '+' +
                       std::to_string(box.total);
    if (box.self != 0) line += ", " + std::to_string(box.self) + " itself";
    if (graph.is_comparison()) line += ", " + std::to_string(box.before) + " before";
    all.push_back(line);
  }
  return all;
}

// Checks the order and the place of the boxes. Children lie side by side from the left edge of their parent, and a
// total is the sum of the children's totals and the box's own value.
void check_tiling(const FlameGraph& graph) {
  const std::vector<FlameBox>& boxes = graph.boxes();
  REQUIRE(!boxes.empty());
  CHECK(boxes.front().depth == 0);
  CHECK(boxes.front().start == 0);
  std::vector<const FlameBox*> below;
  std::vector<std::uint64_t> next;  // where the next child of each of them begins
  std::uint32_t deepest = 0;
  const auto pop = [&] {
    CHECK(next.back() + below.back()->self == below.back()->start + below.back()->total);
    below.pop_back();
    next.pop_back();
  };
  for (const FlameBox& box : boxes) {
    REQUIRE(box.depth <= below.size());
    while (below.size() > box.depth) pop();
    if (!below.empty()) {
      CHECK(box.total > 0);
      CHECK(box.start == next.back());
      CHECK(box.start + box.total <= below.back()->start + below.back()->total);
      next.back() += box.total;
    }
    CHECK((box.depth == 1) == (box.owner != none));
    CHECK((box.depth > 1) == (box.frame != none));
    deepest = std::max(deepest, box.depth);
    below.push_back(&box);
    next.push_back(box.start);
  }
  while (!below.empty()) pop();
  CHECK(graph.depth() == deepest);
}

}  // namespace

TEST_CASE("stacks share their common frames, and siblings are sorted by name") {
  Stacks stacks;
  const Index dd = stacks.owner("dd", 185);
  const Index writer = stacks.owner("dd", 185, "writer");
  const Index other = stacks.owner("dd", 9);
  const Index first = stacks.owner("aa", 200);
  const std::vector<FlameTable::Cell> cells = {
      {.owner = dd, .node = stacks.stack({"main", "write"}), .value = 3},
      {.owner = dd, .node = stacks.stack({"main", "read"}), .value = 4},
      {.owner = first, .node = stacks.stack({"main", "read"}), .value = 5},
      {.owner = writer, .node = stacks.stack({"main", "write"}), .value = 10},
      {.owner = dd, .node = stacks.stack({"main"}), .value = 2},
      {.owner = other, .node = none, .value = 6},
      {.owner = other, .node = stacks.stack({"idle"}), .value = 0},
  };
  const FlameGraph graph(stacks.table, cells);
  CHECK(lines(graph) == std::vector<std::string>{
                            "all 0+30",
                            " aa (200) 0+5",
                            "  main 0+5",
                            "   read 0+5, 5 itself",
                            " dd (9) 5+6, 6 itself",
                            " dd (185) 11+19",
                            "  main 11+19, 2 itself",
                            "   read 11+4, 4 itself",
                            "   write 15+13, 13 itself",
                        });
  CHECK(graph.depth() == 3);
  check_tiling(graph);
}

TEST_CASE("frames of one name in two modules or on two lines are two boxes, in any order of arrival") {
  for (const bool turned : {false, true}) {
    FlameTable table;
    const Index owner = table.intern_owner({.process = table.intern("p"), .thread = table.intern("p")});
    std::vector<FlameTable::Cell> cells;
    const auto add = [&](std::string_view module, std::uint32_t line, std::uint64_t value) {
      const Index frame = table.intern_frame({.name = table.intern("f"), .module = table.intern(module), .line = line});
      cells.push_back({.owner = owner, .node = table.child(none, frame), .value = value});
    };
    if (turned) add("b.so", 0, 4);
    if (turned) add("a.so", 20, 2);
    add("a.so", 3, 1);
    if (!turned) add("a.so", 20, 2);
    if (!turned) add("b.so", 0, 4);
    const FlameGraph graph(table, cells);
    CHECK(lines(graph) ==
          std::vector<std::string>{"all 0+7", " p 0+7", "  f 0+1, 1 itself", "  f 1+2, 2 itself", "  f 3+4, 4 itself"});
  }
}

TEST_CASE("a comparison has the boxes of the later profile with their earlier values") {
  Stacks stacks;
  const std::vector<FlameTable::Cell> before = {
      {.owner = stacks.owner("app", 10), .node = stacks.stack({"main", "old"}), .value = 7},
      {.owner = stacks.owner("app", 10), .node = stacks.stack({"main", "work"}), .value = 3},
      {.owner = stacks.owner("gone", 11), .node = stacks.stack({"main", "work"}), .value = 5},
  };
  const std::vector<FlameTable::Cell> now = {
      {.owner = stacks.owner("app", 30), .node = stacks.stack({"main", "work"}), .value = 8},
      {.owner = stacks.owner("app", 31), .node = stacks.stack({"main", "new"}), .value = 2},
  };
  const FlameGraph graph(stacks.table, now, before);
  CHECK(graph.is_comparison());
  CHECK(lines(graph) == std::vector<std::string>{
                            "all 0+10, 15 before",
                            " app 0+10, 10 before",
                            "  main 0+10, 10 before",
                            "   new 0+2, 2 itself, 0 before",
                            "   work 2+8, 8 itself, 3 before",
                        });
  CHECK(graph.total_before() == 15);
  CHECK(graph.only_before() == 12);
}

TEST_CASE("an empty earlier profile still makes a comparison") {
  Stacks stacks;
  const std::vector<FlameTable::Cell> now = {{.owner = stacks.owner("app", 30), .node = none, .value = 8}};
  const FlameGraph graph(stacks.table, now, {});
  CHECK(graph.is_comparison());
  CHECK(lines(graph) == std::vector<std::string>{"all 0+8, 0 before", " app 0+8, 8 itself, 0 before"});
}

TEST_CASE("an empty table gives one root box with the value zero") {
  const FlameTable table;
  const FlameGraph graph(table, {});
  CHECK(lines(graph) == std::vector<std::string>{"all 0+0"});
  CHECK(graph.depth() == 0);
}

TEST_CASE("the boxes of the fixed profiles fit together and add up to the total of the profile") {
  const Profile profiles[] = {test::fixed_profile(), test::wall_profile(), test::profile_with_lines(), Profile()};
  for (const Profile& profile : profiles) {
    const OwnFlameView flames(profile);
    const FlameGraph graph(*flames.view().table, flames.view().cells);
    CHECK(graph.total() == profile.total());
    check_tiling(graph);
    std::uint64_t self = 0;
    for (const FlameBox& box : graph.boxes()) self += box.self;
    CHECK(self == profile.total());
  }
}

TEST_CASE("the totals of a comparison are those of both profiles, and earlier values fit inside their parents") {
  const Profile now = test::fixed_profile();
  Profile before;
  test::add_hostile(before);
  test::add_dd(before);
  const OwnFlameView flames(now, &before);
  const FlameGraph graph(*flames.view().table, flames.view().cells, flames.view().before_cells);
  CHECK(graph.total() == now.total());
  CHECK(graph.total_before() == before.total());
  CHECK(graph.only_before() == 0);
  check_tiling(graph);
  const OwnFlameView turned(before, &now);
  const FlameGraph turned_graph(*turned.view().table, turned.view().cells, turned.view().before_cells);
  CHECK(turned_graph.only_before() == 30);  // the kernel thread and the idle task
}

TEST_CASE("values as large as nanoseconds are exact, and large sums do not overflow") {
  Stacks stacks;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const Index a = stacks.owner("a", 1);
  const Index b = stacks.owner("b", 2);
  std::vector<FlameTable::Cell> cells = {{.owner = a, .node = stacks.stack({"x"}), .value = half},
                                         {.owner = b, .node = stacks.stack({"y", "z"}), .value = half - 1}};
  const FlameGraph exact(stacks.table, cells);
  CHECK(exact.total() == std::numeric_limits<std::uint64_t>::max());
  CHECK(exact.boxes().back().start == half);
  CHECK(exact.boxes().back().total == half - 1);
  check_tiling(exact);

  cells.push_back({.owner = b, .node = stacks.stack({"y", "w"}), .value = half});
  cells.push_back({.owner = b, .node = none, .value = half});
  const FlameGraph full(stacks.table, cells);
  CHECK(full.total() == std::numeric_limits<std::uint64_t>::max());
  for (const FlameBox& box : full.boxes()) CHECK(box.total <= std::numeric_limits<std::uint64_t>::max() - box.start);
}

TEST_CASE("a stack of 100,000 frames needs no recursion") {
  Stacks stacks;
  Index node = none;
  const Index frame = stacks.table.intern_frame({.name = stacks.table.intern("again")});
  for (int i = 0; i < 100'000; ++i) node = stacks.table.child(node, frame);
  const FlameGraph graph(stacks.table, std::vector<FlameTable::Cell>{{stacks.owner("p", 1), node, 1}});
  CHECK(graph.depth() == 100'001);
  CHECK(graph.boxes().size() == 100'002);
}
