#include "output/blocking_threads.h"

#include <algorithm>

namespace profile {

BlockingThreads blocking_threads(const std::vector<ThreadWait>& waits) {
  const bool leave_out =
      !std::all_of(waits.begin(), waits.end(), [](const ThreadWait& one) { return one.is_kernel_thread; });
  BlockingThreads threads;
  for (const ThreadWait& one : waits) {
    if (leave_out && one.is_kernel_thread) {
      threads.left_out_ns += one.waits.total_ns;
      continue;
    }
    threads.listed.push_back(&one);
    threads.waits += one.waits.count;
    threads.total_ns += one.waits.total_ns;
  }
  return threads;
}

}  // namespace profile
