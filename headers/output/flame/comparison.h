// Puts two profiles into one table to compare them. The table and the pictures of `profile diff` both use it, so they
// cannot contradict each other. It defines what counts as the same:
//   A function is its name, or its name and module. Source line, frame kind and process do not count: lines move, and
//   some files know more than others.
//   A process is its name. If one profile has only thread names (folded lines), the thread name is used in both.
//   ':' and ';' in names are the same, because folded lines replace ';'.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "output/flame/table.h"

namespace profile {

enum class SameFunction : std::uint8_t { by_name, by_name_and_module };

struct FlameComparison {
  // Each function is one frame. Module, file and kind come from the later profile if it knows them, otherwise from the
  // earlier one; they are unknown if that profile has several.
  // The line is set only if all merged frames that have a line have the same one, and the file is not disputed.
  FlameTable table;
  std::vector<FlameTable::Cell> before;
  std::vector<FlameTable::Cell> after;

  // Adds up what was kept apart by blocks of time.
  void join_blocks();
};

[[nodiscard]] FlameComparison compare_flames(const Profile& before, const Profile& after,
                                             SameFunction same = SameFunction::by_name,
                                             UnknownRuns runs = UnknownRuns::kept);

// Returns "kernel" for "[kernel]", because folded lines have module names without brackets.
[[nodiscard]] std::string_view bare_module(std::string_view module);

}  // namespace profile
