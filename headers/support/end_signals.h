// SIGINT, SIGTERM and SIGHUP, which end a run with its report: from the first moment on they wait until the run reads
// them.
#pragma once

#include <signal.h>

namespace profile {

// SIGHUP is not among them when nohup(1) has it ignored: what is blocked is not ignored.
[[nodiscard]] sigset_t end_signals() noexcept;

// From here on they wait.
void hold_end_signals() noexcept;

// While it lives they kill, if they are held: for what waits for somebody else, maybe for ever, before there is
// anything to report.
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
