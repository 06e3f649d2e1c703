// SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGWINCH as events of the loop. The first of the former three ends the run and
// lets it report; another SIGINT or SIGTERM aborts at once, even in the middle of reading a large file.
#pragma once

#include <signal.h>

#include "support/fd.h"

namespace profile {

class Signals {
 public:
  // From here on these signals wait to be read.
  Signals();
  [[nodiscard]] int fd() const { return fd_.get(); }

  struct Received {
    int number = 0;              // 0: none was waiting
    bool from_terminal = false;  // sent by the kernel to the whole foreground group (Ctrl-C), not by kill()
  };
  [[nodiscard]] Received next();
  // The run is over or about to be: another SIGINT or SIGTERM kills this process at once. For a moment it does not yet,
  // because timeout(1) sends its signal twice, to the process and to its group.
  void let_next_kill();

 private:
  Fd fd_;
  sigset_t set_;
};

}  // namespace profile
