// Tests the changes of functions and boxes between two made recordings of 20 seconds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "input/profile_reader.h"
#include "output/flame/changes.h"
#include "output/flame/comparison.h"
#include "output/flame/diff_table.h"
#include "output/flame/graph.h"
#include "output/flame/view.h"

using namespace profile;

namespace {

constexpr int whole_s = 20;
constexpr ComparedBlocks blocks_of_a_second{};

// `steady` has as many samples in each second as `work` or fewer; both vary from second to second.
Profile recorded(int work, int steady, int length_s = whole_s) {
  Profile sum;
  for (int second = 0; second < length_s; ++second) {
    const int more = second % 3;
    Profile one = read_folded("app;main;work;work;leaf " + std::to_string(work + more) + "\napp;main;steady " +
                                  std::to_string(steady - more) + "\n" + (second == 4 ? "app;main;rare 3\n" : ""),
                              "made");
    one.change_rows([second](Row& row) { row.block = static_cast<std::uint32_t>(second); });
    sum.merge(one);
  }
  return sum;
}

std::string name_of(const FlameComparison& flames, std::size_t function) {
  return std::string(flames.table.strings().view(flames.table.frames()[function].name));
}

}  // namespace

TEST_CASE("of the functions of two recordings, those that differ are sure, and others are not") {
  const FlameComparison flames = compare_flames(recorded(20, 80), recorded(30, 70));
  const FlameChanges changes(flames, blocks_of_a_second, FlameChanges::Of::functions_and_boxes);
  CHECK(!changes.is_too_short());
  CHECK(changes.fewest_blocks() == std::size_t{whole_s});
  REQUIRE(changes.functions().size() == flames.table.frames().size() + 1);
  std::set<std::string> sure;
  for (std::size_t i = 0; i < flames.table.frames().size(); ++i) {
    const FunctionChange& function = changes.functions()[i];
    const std::string name = name_of(flames, i);
    if (function.is_sure()) sure.insert(name);
    if (name == "leaf") CHECK(function.self.change == doctest::Approx(0.1).epsilon(0.01));
    // It calls itself, and counts once.
    if (name == "work") CHECK(function.total.change == doctest::Approx(0.1).epsilon(0.01));
    if (name == "work") CHECK(!function.self.is_known());
    if (name == "main") CHECK(function.total.change == 0);
    if (name == "rare") CHECK(!function.total.is_known());
  }
  CHECK(sure == std::set<std::string>{"leaf", "steady", "work"});

  std::vector<std::string> grown;
  for (const GrownFunction& one : changes.grown_above(0.05)) {
    grown.push_back(name_of(flames, one.function) + (one.is_self ? " self" : " total"));
  }
  std::ranges::sort(grown);
  CHECK(grown == std::vector<std::string>{"leaf self", "work total"});
  CHECK(changes.grown_above(0.0999).empty());
  CHECK(changes.blocks_text().starts_with("blocks of 1 s"));
}

TEST_CASE("of a recording and itself nothing is sure, and short ones tell nothing") {
  const FlameComparison same = compare_flames(recorded(20, 80), recorded(20, 80));
  const FlameChanges none(same, blocks_of_a_second, FlameChanges::Of::functions);
  for (const FunctionChange& function : none.functions()) CHECK(!function.is_sure());
  CHECK(none.grown_above(0).empty());
  const FlameComparison brief = compare_flames(recorded(20, 80, least_blocks - 1), recorded(40, 60));
  const FlameChanges unknown(brief, blocks_of_a_second, FlameChanges::Of::functions);
  CHECK(unknown.is_too_short());
  for (const FunctionChange& function : unknown.functions()) CHECK(!function.is_sure());
  const FlameComparison empty = compare_flames(Profile(), recorded(20, 80));
  CHECK(FlameChanges(empty, blocks_of_a_second, FlameChanges::Of::functions).is_too_short());
}

TEST_CASE("a recording that begins late has only the blocks with samples") {
  Profile late = recorded(20, 80);
  late.change_rows([](Row& row) { row.block += 100; });
  const FlameComparison flames = compare_flames(recorded(20, 80), late);
  CHECK(FlameChanges(flames, blocks_of_a_second, FlameChanges::Of::functions).fewest_blocks() == std::size_t{whole_s});
}

TEST_CASE("a graph in blocks is the graph without them, and each box has its change") {
  const Profile before = recorded(20, 80);
  const Profile after = recorded(30, 70);
  const OwnFlameView in_blocks(after, &before, SameFunction::by_name, &blocks_of_a_second);
  const FlameView& view = in_blocks.view();
  REQUIRE(view.changes != nullptr);
  CHECK(view.table->owners().size() == 1);
  CHECK(view.cells.size() == 3);  // of each stack one
  const FlameGraph graph(*view.table, view.cells, view.before_cells, view.changes);
  for (const FlameBox& box : graph.boxes()) {
    const std::string name = graph.name_of(box);
    const bool is_sure = box.change != nullptr && box.change->is_sure;
    CHECK_MESSAGE(is_sure == (name == "work" || name == "leaf" || name == "steady"), name);
    if (name == "rare" || name == "all") CHECK(box.change == nullptr);
  }
  std::ostringstream svg;
  write_flame_svg(svg, view);
  CHECK(svg.str().find("the change may be chance") != std::string::npos);
  CHECK(svg.str().find("which may be chance, from 100.0 %") != std::string::npos);
}

TEST_CASE("the table has the sure changes first, with their intervals, then those that may be chance") {
  const FlameComparison flames = compare_flames(recorded(20, 80), recorded(30, 70));
  const FlameChanges changes(flames, blocks_of_a_second, FlameChanges::Of::functions);
  std::ostringstream out;
  write_diff_table(out, {.name = "before", .cells = flames.before}, {.name = "after", .cells = flames.after},
                   flames.table,
                   {.unit = "samples", .top = 1, .is_coloured = true, .changes = &changes, .interval_note = "A note."});
  const std::string text = out.str();
  CHECK(text.find("\nA note.\n\nTop 1 function of 2 that surely gained\n") != std::string::npos);
  CHECK(text.find("that surely lost\n") != std::string::npos);
  const std::size_t heading = text.find("CHANGE     ±");
  CHECK(heading != std::string::npos);
  CHECK(text.find("leaf\n", heading) != std::string::npos);
  CHECK(text.find("\x1b[90m") == std::string::npos);

  const FlameComparison brief = compare_flames(recorded(20, 80, 9), recorded(21, 79, 9));
  const FlameChanges unsure(brief, blocks_of_a_second, FlameChanges::Of::functions);
  std::ostringstream chance;
  write_diff_table(chance, {.name = "before", .cells = brief.before}, {.name = "after", .cells = brief.after},
                   brief.table, {.unit = "samples", .is_coloured = true, .changes = &unsure});
  CHECK(chance.str().find("whose change may be chance\n") != std::string::npos);
  CHECK(chance.str().find("\x1b[90m") != std::string::npos);
}
