// Starts the command of `profile -- COMMAND`. It is forked at once, but held before its first instruction until
// sampling is armed, so that nothing of it is missed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

class Command {
 public:
  // Forks; the child waits. It has no signal blocked, and it ignores the signals that this process ignored at its
  // start. Throws Error when the fork fails. With `without_terminal` each of its stdin, stdout and stderr that is a
  // terminal becomes /dev/null, because the view of --top uses the terminal.
  explicit Command(const std::vector<std::string>& words, bool without_terminal = false);
  // A child that was never released is killed.
  ~Command();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets the child run. Throws Error when its exec fails: with status 127 if there is no such program, otherwise 126.
  void release();
  // The exit status as a shell gives it (128+N when signal N killed it); nullopt while the child runs.
  [[nodiscard]] std::optional<int> exit_status();
  void signal(int number) const;

 private:
  std::string name_;  // the program, as typed
  pid_t pid_ = -1;
  Fd release_;       // a byte lets the child continue to exec; if this is closed without a byte, the child exits
  Fd exec_failure_;  // gives the child's errno; a successful exec closes it
  std::optional<int> status_;
};

}  // namespace profile
