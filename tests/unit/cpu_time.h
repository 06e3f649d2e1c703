// Measures the CPU time that some work costs this thread.
// A limit on CPU time holds on a busy or stalled machine, a limit on elapsed time does not.
#pragma once

#include <algorithm>

#include "support/clock.h"

namespace profile::test {

// CPU time of this thread, in seconds. The work runs up to three times while it takes `enough` or longer, and the least
// time counts: when a hypervisor takes the CPU away, that time may be charged to the running thread.
template <class Work>
double cpu_seconds(const Work& work, double enough) {
  double least = 0;
  for (int run = 0; run < 3; ++run) {
    const std::uint64_t begin_ns = thread_cpu_ns();
    work();
    const double took = to_seconds(thread_cpu_ns() - begin_ns);
    least = run == 0 ? took : std::min(least, took);
    if (least < enough) break;
  }
  return least;
}

}  // namespace profile::test
