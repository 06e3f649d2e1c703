#include "children/own_processes.h"

#include <fcntl.h>

#include <utility>

#include "support/process_fd.h"

namespace profile {
namespace {

std::vector<std::pair<pid_t, Fd>>& all() {
  static std::vector<std::pair<pid_t, Fd>> processes;
  return processes;
}

}  // namespace

void add_own_process(pid_t pid, const Fd& process) {
  all().emplace_back(pid, ::fcntl(process.get(), F_DUPFD_CLOEXEC, 0));
}

std::vector<pid_t> own_processes() {
  std::erase_if(all(), [](const auto& listed) { return has_ended(listed.second); });
  std::vector<pid_t> pids;
  for (const auto& [pid, process] : all()) pids.push_back(pid);
  return pids;
}

}  // namespace profile
