// Threads take the signal mask of who starts them. Those of the live view must take no signal: Ctrl-C is for the
// session, which waits for it.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace profile {

// Blocks all signals as long as it lives.
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
