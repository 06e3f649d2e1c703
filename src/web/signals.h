// A thread inherits the signal mask of the thread that starts it. The threads of the live view must not receive
// signals, because the session waits for Ctrl-C. So all signals are blocked while they are started.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace profile {

// Blocks all signals as long as this object lives.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace profile
