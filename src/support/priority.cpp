#include "support/priority.h"

#include <sys/resource.h>

#include <atomic>

namespace profile {
namespace {

// Gives nine times the share of an ordinary thread (sched_prio_to_weight in the kernel's kernel/sched/core.c).
constexpr int raised_niceness = -10;

// Whether any thread was ever raised. Then the process began with a niceness of 0.
std::atomic<bool> was_raised = false;

}  // namespace

// Id 0 is the calling thread: in Linux each thread has its own niceness.
RaisedPriority::RaisedPriority() noexcept {
  is_raised_ = ::getpriority(PRIO_PROCESS, 0) == 0 && ::setpriority(PRIO_PROCESS, 0, raised_niceness) == 0;
  if (is_raised_) was_raised = true;
}

RaisedPriority::~RaisedPriority() {
  if (is_raised_) ::setpriority(PRIO_PROCESS, 0, 0);
}

void give_up_raised_priority() noexcept {
  if (was_raised) ::setpriority(PRIO_PROCESS, 0, 0);
}

}  // namespace profile
