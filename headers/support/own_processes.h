// The running processes that this process has forked for its own work, so that a run can leave them out together with
// the profiler. The room "parse" has a list of its own processes.
#pragma once

#include <sys/types.h>

#include <vector>

namespace profile {

void add_own_process(pid_t pid);
void remove_own_process(pid_t pid);
[[nodiscard]] const std::vector<pid_t>& own_processes();

}  // namespace profile
