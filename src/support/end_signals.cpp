#include "support/end_signals.h"

#include <initializer_list>

namespace profile {

sigset_t end_signals() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&set, number);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) ::sigaddset(&set, SIGHUP);
  return set;
}

void hold_end_signals() noexcept {
  const sigset_t set = end_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

EndSignalsKill::EndSignalsKill() noexcept {
  const sigset_t set = end_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, &before_);
}

EndSignalsKill::~EndSignalsKill() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace profile
