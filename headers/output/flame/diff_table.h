// Two profiles compared, as text: the functions that gained and lost most. Shares of the totals are compared, not
// values, so that one profile may have been taken for longer than the other.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "output/flame/table.h"

namespace profile {

struct DiffOptions {
  std::string unit;  // of the values
  std::size_t top = 10;
  bool show_modules = false;  // behind the functions, which they tell apart (SameFunction::by_name_and_module)
};

// One of the two; their cells are in one table, in which a function is one frame (output/flame/comparison.h).
struct DiffSide {
  std::string name;
  std::span<const FlameTable::Cell> cells;
};

void write_diff_table(std::ostream& out, const DiffSide& before, const DiffSide& after, const FlameTable& table,
                      const DiffOptions& options);

}  // namespace profile
