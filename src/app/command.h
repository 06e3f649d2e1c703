// The command of `profile -- COMMAND`: forked at once, held before its first instruction until sampling is armed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

class Command {
 public:
  // Forks; the child waits, with no signal blocked, and those ignored that we found ignored. Throws Error when it
  // cannot. With `without_terminal` what of its stdin, stdout and stderr is a terminal is /dev/null to it: the view of
  // --top is there.
  explicit Command(const std::vector<std::string>& words, bool without_terminal = false);
  // A child that was never released is killed.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets it run. Returns nullopt, or the errno of the exec that failed; then it has exited already.
  [[nodiscard]] std::optional<int> release();
  // Its exit status as a shell tells it (128+N when killed by N), once it has exited; nullopt while it runs.
  [[nodiscard]] std::optional<int> exit_status();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  Fd release_;       // a byte lets the child go on to exec; without one it exits
  Fd exec_failure_;  // the child's errno, or closed by a successful exec
  std::optional<int> status_;
};

}  // namespace profile
