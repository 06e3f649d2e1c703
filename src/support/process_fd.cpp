#include "support/process_fd.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

namespace profile {

bool has_ended(const Fd& process) noexcept {
  pollfd awaited{.fd = process.get(), .events = POLLIN, .revents = 0};
  return process && ::poll(&awaited, 1, 0) > 0;
}

void kill_process(const Fd& process, int signal) noexcept {
  if (process) ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

Fd process_fd(pid_t child) noexcept { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))); }

}  // namespace profile
