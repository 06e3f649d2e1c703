// One sample, as a stream writes it.
#pragma once

#include <cstdint>

#include "model/profile.h"

namespace profile {

struct Sample {
  Row row;                    // its ids belong to the profile that it was read into; tid is always set
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t unix_ns = 0;  // CLOCK_REALTIME, which may have been set between two samples
  std::uint32_t cpu = 0;
  std::uint32_t event = 0;  // 0: of Profile::run; else of Profile::other_events[event - 1]
};

}  // namespace profile
