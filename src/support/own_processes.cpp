#include "support/own_processes.h"

#include <algorithm>

namespace profile {
namespace {

std::vector<pid_t>& all() {
  static std::vector<pid_t> pids;
  return pids;
}

}  // namespace

void add_own_process(pid_t pid) { all().push_back(pid); }

void remove_own_process(pid_t pid) { all().erase(std::remove(all().begin(), all().end(), pid), all().end()); }

const std::vector<pid_t>& own_processes() { return all(); }

}  // namespace profile
