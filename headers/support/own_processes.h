// Processes that this one has forked for its own work, while they are there: where the profiler is not counted they are
// not. Those of the room parse have their own list.
#pragma once

#include <sys/types.h>

#include <vector>

namespace profile {

void add_own_process(pid_t pid);
void remove_own_process(pid_t pid);
[[nodiscard]] const std::vector<pid_t>& own_processes();

}  // namespace profile
