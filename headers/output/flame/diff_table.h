// Compares two profiles as text: the functions that gained and lost most. It compares shares of the totals, not values,
// because one profile may cover more time than the other; but memory by its bytes.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "output/flame/changes.h"
#include "output/flame/table.h"

namespace profile {

struct DiffOptions {
  std::string unit;  // of the values
  std::size_t top = 10;
  bool show_modules = false;              // after the function name; for SameFunction::by_name_and_module
  bool is_coloured = false;               // for a terminal: small changes, which may be chance, are grey
  const FlameChanges* changes = nullptr;  // of the table that is compared; nullptr: there are no intervals
  std::string interval_note = {};         // a line about the intervals, or why there are none; "": none
};

// One of the two profiles. The cells of both are in one table, in which each function is one frame
// (output/flame/comparison.h).
struct DiffSide {
  std::string name;
  std::span<const FlameTable::Cell> cells;
};

void write_diff_table(std::ostream& out, const DiffSide& before, const DiffSide& after, const FlameTable& table,
                      const DiffOptions& options);

}  // namespace profile
