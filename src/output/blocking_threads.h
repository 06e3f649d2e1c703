// The threads that a list of those blocked longest is made from. The kernel's own wait for work all the time and would
// fill any such list, so they are left out where there are others.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profile {

struct BlockingThreads {
  std::vector<const ThreadWait*> listed;  // the longest first
  std::uint64_t waits = 0;                // of those in the list, as the next; shares are of it
  std::uint64_t total_ns = 0;
  std::uint64_t left_out_ns = 0;  // of the kernel's threads; 0 when they are in the list or there are none
};

// `waits` outlives the result.
[[nodiscard]] BlockingThreads blocking_threads(const std::vector<ThreadWait>& waits);

}  // namespace profile
