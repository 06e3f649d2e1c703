// The lines of a perf map, read piece by piece: "START SIZE NAME", the numbers in hex.
#pragma once

#include <cstdint>
#include <functional>

#include "support/work_budget.h"

namespace profile {

struct PerfMapEntry {
  std::uint64_t start = 0;
  std::uint64_t last = 0;         // the last address it holds
  std::uint64_t name_offset = 0;  // in the file: names are read once it is known which entries count
  std::uint32_t name_bytes = 0;   // not 0; what is longer is cut off
};

struct PerfMapPart {
  std::uint64_t end = 0;  // of the last line that was read
  bool is_whole = false;  // `visit` wanted all of it, and the budget had room for it
};

// `visit` takes each entry that begins in [from, to) of the file, and says whether it wants more. Bad lines are passed
// over. A zero or an endless line, which no run-time writes, ends the map; a line without its end is being written just
// now and is not believed.
[[nodiscard]] PerfMapPart read_perf_map_lines(int fd, std::uint64_t from, std::uint64_t to, WorkBudget& budget,
                                              const std::function<bool(const PerfMapEntry&)>& visit);

}  // namespace profile
