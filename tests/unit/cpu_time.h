// What work costs this thread, for bounds that a busy machine or one that stalls does not reach.
#pragma once

#include <algorithm>

#include "support/clock.h"

namespace profile::test {

// CPU time of this thread, the least of three runs while they take longer than `enough`: a machine whose CPU was taken
// away may count that time to whoever ran.
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
