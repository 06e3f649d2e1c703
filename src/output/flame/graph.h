// The layout of a flame graph, computed once for the pictures (svg, png): which boxes there are, where each begins, how
// wide and how deep it is. All in the unit of the profile; whoever draws scales it. The order of siblings is that of
// their texts, so that a function keeps its place from one frame of a film to the next, and in a picture of tomorrow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/flame/table.h"

namespace profile {

struct FlameBox {
  FlameTable::Index frame = FlameTable::none;  // of FlameTable::frames(); `none`: the root box, or a process
  FlameTable::Index owner = FlameTable::none;  // of FlameTable::owners(), one of the process it stands for; or `none`
  std::uint32_t depth = 0;                     // 0: the root box
  std::uint64_t start = 0;                     // from the left
  std::uint64_t total = 0;                     // its width: all that has it on the stack
  std::uint64_t self = 0;                      // of that, what has it at the leaf
  std::uint64_t before = 0;                    // its total in the profile compared with; 0 when there is none
};

class FlameGraph {
 public:
  // Processes stand on the root box, by name and number, and the stacks on them: what reads the same is one box.
  // `before`, for a comparison, are the cells of the earlier profile in the same table (output/flame/comparison.h);
  // boxes that are only there have a total of 0 and are no boxes here. Processes of one name are one then, for numbers
  // differ from run to run.
  // `table` must outlive it. Sums that 64 bits do not hold stop at the largest number.
  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells) : FlameGraph(table, cells, {}, false) {}
  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells, std::span<const FlameTable::Cell> before)
      : FlameGraph(table, cells, before, true) {}

  // In the order of a walk: the root box, and behind each box all that stands on it, from left to right.
  [[nodiscard]] const std::vector<FlameBox>& boxes() const { return boxes_; }
  [[nodiscard]] std::uint64_t total() const { return boxes_.front().total; }
  [[nodiscard]] std::uint64_t total_before() const { return boxes_.front().before; }
  [[nodiscard]] std::uint64_t only_before() const { return only_before_; }  // of that, what has no box here
  [[nodiscard]] std::uint32_t depth() const { return depth_; }              // of the deepest box
  [[nodiscard]] bool is_comparison() const { return is_comparison_; }
  // "main", "dd (185)" or, without a number, "dd", and "all".
  [[nodiscard]] std::string name_of(const FlameBox& box) const;
  // Process and root boxes are FlameKind::owner.
  [[nodiscard]] FlameKind kind_of(const FlameBox& box) const;

 private:
  class Walk;

  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells, std::span<const FlameTable::Cell> before,
             bool is_comparison);

  const FlameTable& table_;
  std::vector<FlameBox> boxes_;
  std::uint64_t only_before_ = 0;
  std::uint32_t depth_ = 0;
  bool is_comparison_ = false;
};

}  // namespace profile
