// One sample by itself, as a stream tells it.
#pragma once

#include <cstdint>

#include "model/profile.h"

namespace profile {

struct Sample {
  Row row;                    // its stacks and names are those of the profile it was read into; tid is always filled in
  std::uint64_t unix_ns = 0;  // CLOCK_REALTIME
  std::uint32_t cpu = 0;
};

}  // namespace profile
