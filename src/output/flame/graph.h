// The layout of a flame graph for the pictures (svg, png): the boxes, where each begins, how wide and how deep it is.
// All widths are in the unit of the profile; the picture scales them. Siblings are in the order of their texts, so a
// function keeps its place in all frames of a film.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/flame/changes.h"
#include "output/flame/table.h"

namespace profile {

struct FlameBox {
  FlameTable::Index frame = FlameTable::none;  // in FlameTable::frames(); `none`: the root box or a process
  FlameTable::Index owner = FlameTable::none;  // in FlameTable::owners(): any owner of the process; or `none`
  std::uint32_t depth = 0;                     // 0: the root box
  std::uint64_t start = 0;                     // offset from the left
  std::uint64_t total = 0;                     // width: sum of the stacks that have the box
  std::uint64_t self = 0;                      // part of `total` whose leaf is this box
  std::uint64_t before = 0;                    // total in the earlier profile; 0 without a comparison
  const BoxChange* change = nullptr;           // of its share, with an interval; nullptr when not known
};

class FlameGraph {
 public:
  // Process boxes, by name and number, are on the root box; stacks with the same text are one box.
  // `before` are cells of the earlier profile in the same table (output/flame/comparison.h). In a comparison processes
  // with the same name are one, because numbers differ from run to run, and stacks that only `before` has get no box.
  // `table` must outlive this object. Sums larger than 64 bits stop at the largest number.
  // `changes` may be nullptr, and must outlive this object too.
  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells)
      : FlameGraph(table, cells, {}, false, nullptr) {}
  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells, std::span<const FlameTable::Cell> before,
             const FlameChanges* changes = nullptr)
      : FlameGraph(table, cells, before, true, changes) {}

  // In the order of a depth-first walk: the root box first, and after each box all boxes on it, from left to right.
  [[nodiscard]] const std::vector<FlameBox>& boxes() const { return boxes_; }
  [[nodiscard]] std::uint64_t total() const { return boxes_.front().total; }
  [[nodiscard]] std::uint64_t total_before() const { return boxes_.front().before; }
  [[nodiscard]] std::uint64_t only_before() const { return only_before_; }  // part of total_before() without a box
  [[nodiscard]] std::uint32_t depth() const { return depth_; }              // of the deepest box
  [[nodiscard]] bool is_comparison() const { return is_comparison_; }
  // "main"; "dd (185)" for a process, or "dd" without a number; "all" for the root box.
  [[nodiscard]] std::string name_of(const FlameBox& box) const;
  // Process and root boxes are FlameKind::owner.
  [[nodiscard]] FlameKind kind_of(const FlameBox& box) const;

 private:
  class Walk;

  FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells, std::span<const FlameTable::Cell> before,
             bool is_comparison, const FlameChanges* changes);

  const FlameTable& table_;
  std::vector<FlameBox> boxes_;
  std::uint64_t only_before_ = 0;
  std::uint32_t depth_ = 0;
  bool is_comparison_ = false;
};

}  // namespace profile
