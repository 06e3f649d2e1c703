// Reads the lines of a perf map piece by piece: "START SIZE NAME", the numbers in hex.
#pragma once

#include <cstdint>
#include <functional>

#include "parse/jit_dump.h"
#include "support/work_budget.h"

namespace profile {

// Calls `visit` with each entry that begins in [from, to) of the file; `visit` returns whether it wants more. Bad lines
// are passed over. A zero byte or an endless line, which no run-time writes, ends the map. A line without its end is
// still being written and is not believed.
[[nodiscard]] JitPart read_perf_map_lines(int fd, std::uint64_t from, std::uint64_t to, WorkBudget& budget,
                                          const std::function<bool(const JitEntry&)>& visit);

}  // namespace profile
