// Says how long to wait for an answer of a child. Time in which the child or this process has no CPU does not count.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace profile {

// Whether one of its threads could run but has no CPU. False for a process that is gone.
[[nodiscard]] bool waits_for_cpu(pid_t process);
// Whether a signal or a debugger has stopped it. False for a process that is gone.
[[nodiscard]] bool is_stopped(pid_t process);

class Patience {
 public:
  Patience(pid_t child, std::chrono::milliseconds patience);

  // How long to wait next; 0: the patience is over. Time in which this process had no CPU and so did not ask does not
  // count. At the end, time in which the child waits for a CPU does not count either, but at most half a minute of it.
  [[nodiscard]] std::chrono::milliseconds next();

 private:
  using Clock = std::chrono::steady_clock;

  pid_t child_;
  Clock::time_point over_at_;
  Clock::time_point asked_at_;
  int more_;  // how many more times to wait for the child because it has no CPU
};

}  // namespace profile
