// Keeps signals away from the calling thread, and from threads that it starts meanwhile: a thread inherits the signal
// mask of the thread that starts it.
#pragma once

#include <signal.h>

namespace profile {

// Changes the signal mask of the thread as long as it lives. `how`: SIG_BLOCK or SIG_UNBLOCK.
class ChangedSignalMask {
 public:
  ChangedSignalMask(int how, const sigset_t& signals) { ::pthread_sigmask(how, &signals, &before_); }
  ~ChangedSignalMask() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ChangedSignalMask(const ChangedSignalMask&) = delete;
  ChangedSignalMask& operator=(const ChangedSignalMask&) = delete;

 private:
  sigset_t before_{};
};

// Blocks these signals as long as it lives.
class BlockedSignals : public ChangedSignalMask {
 public:
  explicit BlockedSignals(const sigset_t& signals) : ChangedSignalMask(SIG_BLOCK, signals) {}

  [[nodiscard]] static sigset_t all() {
    sigset_t signals;
    ::sigfillset(&signals);
    return signals;
  }
};

}  // namespace profile
