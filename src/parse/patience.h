// How long an answer of a child is waited for: a machine that gives it, or us, no CPU is not held against it.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace profile {

// Whether one of its threads could compute and has no CPU. False of a process that is gone.
[[nodiscard]] bool waits_for_cpu(pid_t process);

class Patience {
 public:
  Patience(pid_t child, std::chrono::milliseconds patience);

  // How long to wait next; 0: it is over. Time in which we were not asked, as we had no CPU either, does not count, nor
  // does, at the end, time in which the child waits for one; half a minute at most of the latter.
  [[nodiscard]] std::chrono::milliseconds next();

 private:
  using Clock = std::chrono::steady_clock;

  pid_t child_;
  Clock::time_point over_at_;
  Clock::time_point asked_at_;
  int more_;  // times that the child may be waited for because it has no CPU
};

}  // namespace profile
