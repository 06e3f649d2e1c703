// The signals that end a run, and those of a write that fails.
#pragma once

#include <signal.h>

#include "support/blocked_signals.h"

namespace profile {

// SIGINT, SIGTERM and SIGHUP end a run, and the run still writes its report. From the start they are blocked and stay
// pending until the run reads them.
// This leaves out SIGHUP when it is ignored (nohup(1)), because a blocked signal stays pending although it is ignored.
[[nodiscard]] sigset_t end_signals() noexcept;

// Blocks them from here on.
void hold_end_signals() noexcept;

// While it lives, these signals kill the process, even if they were blocked before. For waits on another process that
// may never end, before there is anything to report.
struct EndSignalsKill : ChangedSignalMask {
  EndSignalsKill() : ChangedSignalMask(SIG_UNBLOCK, end_signals()) {}
};

// SIGPIPE and SIGXFSZ: a write to a closed pipe, or beyond the limit of a file's size, kills the process by default.
// From here on write() returns an error instead, and the message can name the file. SIGCHLD is not ignored any more, so
// that a child stays until it is waited for.
void settle_signals() noexcept;
// Restores the state of the program's start, for a child between fork and exec. Ignored signals stay ignored over exec,
// and a profiled command must behave as it does without us.
void restore_signals() noexcept;

}  // namespace profile
