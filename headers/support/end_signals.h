// SIGINT, SIGTERM and SIGHUP end a run, and the run still writes its report. From the start they are blocked and stay
// pending until the run reads them.
#pragma once

#include <signal.h>

namespace profile {

// Leaves out SIGHUP when it is ignored (nohup(1)), because a blocked signal stays pending although it is ignored.
[[nodiscard]] sigset_t end_signals() noexcept;

// Blocks them from here on.
void hold_end_signals() noexcept;

// While it lives, these signals kill the process, even if they were blocked before. For waits on another process that
// may never end, before there is anything to report.
class EndSignalsKill {
 public:
  EndSignalsKill() noexcept;
  ~EndSignalsKill();
  EndSignalsKill(const EndSignalsKill&) = delete;
  EndSignalsKill& operator=(const EndSignalsKill&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace profile
