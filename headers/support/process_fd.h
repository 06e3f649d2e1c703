// A descriptor for a process. It means that process alone: the kernel may give its number to another process as soon as
// the process has ended, and a signal to the number would then hit an innocent one.
#pragma once

#include <signal.h>

#include "support/fd.h"

namespace profile {

// Whether the process has ended. False for no Fd.
[[nodiscard]] bool has_ended(const Fd& process) noexcept;
// Sends the signal to the process, if it has not ended, and does not wait.
void kill_process(const Fd& process, int signal = SIGKILL) noexcept;
// The descriptor of a child of this process that was not waited for yet. No Fd: errno says why.
[[nodiscard]] Fd process_fd(pid_t child) noexcept;

}  // namespace profile
