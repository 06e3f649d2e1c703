// The running processes that this process has forked for its own work, so that a run can leave them out together with
// the profiler. The room "parse" has a list of its own processes.
#pragma once

#include <sys/types.h>

#include <vector>

namespace profile {

[[nodiscard]] inline std::vector<pid_t>& own_processes() {
  static std::vector<pid_t> all;
  return all;
}

}  // namespace profile
