// Chooses the threads for a list of those that were blocked longest. Kernel threads wait for work all the time and
// would fill the list, so they are left out if there are other threads.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profile {

struct BlockingThreads {
  std::vector<const ThreadWait*> listed;  // longest total first
  std::uint64_t waits = 0;                // of the listed threads
  std::uint64_t total_ns = 0;
  std::uint64_t left_out_ns = 0;  // of kernel threads; 0 when they are listed or there are none
};

// `waits` must outlive the result. Shares in the list are of `total_ns`, the total of the listed threads.
[[nodiscard]] BlockingThreads blocking_threads(const std::vector<ThreadWait>& waits);

}  // namespace profile
