// Names of code that a run-time compiled into memory, out of the text it writes for profilers: /tmp/perf-PID.map, lines
// of "START SIZE NAME" in hex (Documentation/jit-interface.txt of perf). The file is written by the profiled program.
#pragma once

#include <span>

#include "model/address.h"
#include "symbol/symbol_source.h"

namespace profile {

// Reads `fd` from its start to its end, or to a bound far beyond what run-times write. `addresses` ascend and are
// distinct, `answers` has their size. An address in several entries belongs to the last one: code is moved and freed,
// and the file only grows. Bad lines are passed over. What no entry holds stays as it was.
void resolve_perf_map(int fd, std::span<const RuntimeAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
