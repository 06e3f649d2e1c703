// Receives SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGWINCH as events of the loop. The first SIGINT, SIGTERM or SIGHUP
// ends the run and lets it report. Another SIGINT or SIGTERM aborts at once, even while a large file is being read.
#pragma once

#include <signal.h>

#include "support/fd.h"

namespace profile {

class Signals {
 public:
  // Blocks these signals: from here on they wait until next() reads them. `hup_reloads`: SIGHUP does not end the run.
  explicit Signals(bool hup_reloads);
  [[nodiscard]] int fd() const { return fd_.get(); }

  struct Received {
    int number = 0;              // 0: no signal was waiting
    bool from_terminal = false;  // sent by the kernel to the whole foreground group (Ctrl-C), not by kill()
  };
  [[nodiscard]] Received next();
  // The run is over or about to end. From now on the first SIGINT or SIGTERM, if none came before, asks for the report
  // soon, and the second kills this process at once. For 250 ms after the first it does not, because timeout(1) sends
  // its signal twice, to the process and to its group.
  void let_second_kill();

 private:
  Fd fd_;
  sigset_t set_;
  bool hup_reloads_;
};

}  // namespace profile
