#include "children/own_processes.h"

#include <fcntl.h>

#include "support/process_fd.h"

namespace profile {
namespace {

struct OwnProcess {
  pid_t pid = 0;
  Fd process;
};

std::vector<OwnProcess>& all() {
  static std::vector<OwnProcess> processes;
  return processes;
}

}  // namespace

void add_own_process(pid_t pid, const Fd& process) {
  all().push_back({.pid = pid, .process = Fd(::fcntl(process.get(), F_DUPFD_CLOEXEC, 0))});
}

std::vector<pid_t> own_processes() {
  std::erase_if(all(), [](const OwnProcess& one) { return has_ended(one.process); });
  std::vector<pid_t> pids;
  for (const OwnProcess& one : all()) pids.push_back(one.pid);
  return pids;
}

}  // namespace profile
