// The time that one sample of a clock stands for.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/profile.h"

namespace profile {

// Nanoseconds from one sample of a clock to the next; the events of a clock are nanoseconds. 0: it has no rate, or the
// rate is unknown.
inline std::uint64_t clock_period_ns(const RunInfo& run) {
  if (run.frequency_hz == 0) return run.period_events;
  return static_cast<std::uint64_t>(std::llround(1e9 / static_cast<double>(run.frequency_hz)));
}

}  // namespace profile
