#include "support/pid_namespace.h"

#include <sys/stat.h>

namespace profile {
namespace {

constexpr std::uint32_t initial_pid_namespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO of include/linux/proc_ns.h

}  // namespace

std::uint32_t own_pid_namespace() {
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) != 0) return 0;
  return static_cast<std::uint32_t>(status.st_ino);
}

bool in_initial_pid_namespace() {
  const std::uint32_t own = own_pid_namespace();
  return own == initial_pid_namespace || own == 0;
}

}  // namespace profile
