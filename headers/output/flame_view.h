// What is drawn as a flame graph, by whichever of the formats: one profile, or two compared. The outputs of the table
// of formats call these with one; `profile diff` calls them with two.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "model/profile.h"
#include "output/flame_table.h"

namespace profile {

struct FlameView {
  const Profile* profile = nullptr;  // for what the page and the picture say of the run: title, unit, account, command
  const FlameTable* table = nullptr;
  std::span<const FlameTable::Cell> cells;
  // Of a comparison: the earlier profile, and its cells in the same table. Shares of totals are compared, not values.
  const Profile* before = nullptr;
  std::span<const FlameTable::Cell> before_cells;
};

// A table of its own for one profile, or for two that are compared, and the view of it. The profiles must outlive it.
class OwnFlameView {
 public:
  explicit OwnFlameView(const Profile& profile, const Profile* before = nullptr)
      : before_cells_(before == nullptr ? std::vector<FlameTable::Cell>() : table_.add(*before)),
        cells_(table_.add(profile)) {
    view_.profile = &profile;
    view_.table = &table_;
    view_.cells = cells_;
    view_.before = before;
    view_.before_cells = before_cells_;
  }
  OwnFlameView(const OwnFlameView&) = delete;
  OwnFlameView& operator=(const OwnFlameView&) = delete;

  [[nodiscard]] const FlameView& view() const { return view_; }

 private:
  FlameTable table_;
  std::vector<FlameTable::Cell> before_cells_;
  std::vector<FlameTable::Cell> cells_;
  FlameView view_;
};

void write_flame_svg(std::ostream& out, const FlameView& view);
void write_flame_html(std::ostream& out, const FlameView& view);
void write_flame_png(std::ostream& out, const FlameView& view);

}  // namespace profile
