// Two profiles in one table, to be compared. What `profile diff` takes for one function, and for one process, is
// decided here, for its table and for its pictures: so they cannot contradict each other.
//
//   A function is its name; with modules, its name in one module. Where it stands in the source, what kind of frame it
//   is, and the process do not tell it apart: lines move, and some files know more than others.
//   A process is its name. Folded lines have only those of threads: where one of the profiles knows no processes, it is
//   the name of the thread in both.
//
// Folded lines have colons where names have semicolons: that is no difference.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "output/flame/table.h"

namespace profile {

enum class SameFunction : std::uint8_t { by_name, by_name_and_module };

struct FlameComparison {
  // A function is one frame. Of what was merged into it, its module, file and kind are those of the later profile, or
  // of the earlier one where the later knows none; not known where one profile has several. Its line is one that all
  // agree on.
  FlameTable table;
  std::vector<FlameTable::Cell> before;
  std::vector<FlameTable::Cell> after;
};

[[nodiscard]] FlameComparison compare_flames(const Profile& before, const Profile& after,
                                             SameFunction same = SameFunction::by_name,
                                             UnknownRuns runs = UnknownRuns::kept);

// "kernel" of "[kernel]": as folded lines know it.
[[nodiscard]] std::string_view bare_module(std::string_view module);

}  // namespace profile
