// The running processes that this process has started for its own work, itself or by the keeper, so that a run can
// leave them out together with the profiler.
#pragma once

#include <sys/types.h>

#include <vector>

#include "support/fd.h"

namespace profile {

// The process is listed until it ends.
void add_own_process(pid_t pid, const Fd& process);
[[nodiscard]] std::vector<pid_t> own_processes();

}  // namespace profile
