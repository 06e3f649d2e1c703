// The input of a flame graph in any format: one profile, or two that are compared. The output formats draw one profile;
// `profile diff` draws two.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

#include "model/profile.h"
#include "output/flame/changes.h"
#include "output/flame/comparison.h"
#include "output/flame/table.h"

namespace profile {

struct FlameView {
  const Profile* profile = nullptr;  // for title, unit, account and command line
  const FlameTable* table = nullptr;
  std::span<const FlameTable::Cell> cells;
  // By row of `profile`: the index in `cells`. Empty in a comparison.
  std::span<const FlameTable::Index> cell_of_row;
  // Only in a comparison: the earlier profile, and its cells in the same table. Shares of totals are compared, not
  // values.
  const Profile* before = nullptr;
  std::span<const FlameTable::Cell> before_cells;
  const FlameChanges* changes = nullptr;  // nullptr: there are no intervals
};

// Makes a table for one profile or for a comparison, and the view of it. It folds runs of unknown frames, and the
// profiles must outlive it. `blocks`: of two profiles whose rows are kept apart by blocks of time; otherwise nullptr.
class OwnFlameView {
 public:
  explicit OwnFlameView(const Profile& profile, const Profile* before = nullptr,
                        SameFunction same = SameFunction::by_name, const ComparedBlocks* blocks = nullptr) {
    if (before == nullptr) {
      flames_.table = FlameTable(UnknownRuns::folded);
      flames_.after = flames_.table.add(profile, &cell_of_row_);
    } else {
      flames_ = compare_flames(*before, profile, same, UnknownRuns::folded);
      if (blocks != nullptr) {
        changes_.emplace(flames_, *blocks, FlameChanges::Of::functions_and_boxes);
        flames_.join_blocks();
      }
    }
    view_.profile = &profile;
    view_.table = &flames_.table;
    view_.cells = flames_.after;
    view_.cell_of_row = cell_of_row_;
    view_.before = before;
    view_.before_cells = flames_.before;
    if (changes_ && !changes_->is_too_short()) view_.changes = &*changes_;
  }
  OwnFlameView(const OwnFlameView&) = delete;
  OwnFlameView& operator=(const OwnFlameView&) = delete;

  [[nodiscard]] const FlameView& view() const { return view_; }

 private:
  FlameComparison flames_;
  std::optional<FlameChanges> changes_;
  std::vector<FlameTable::Index> cell_of_row_;
  FlameView view_;
};

void write_flame_svg(std::ostream& out, const FlameView& view);
void write_flame_html(std::ostream& out, const FlameView& view);
void write_flame_png(std::ostream& out, const FlameView& view);

}  // namespace profile
