// Lets ncurses write into memory, and passes that on to the terminal without waiting. ncurses itself waits when it
// writes, so a blocked terminal (for example a sleeping ssh) would stop the run.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>

#include "files/stream_writer.h"
#include "support/fd.h"

namespace profile {

class TerminalOutput {
 public:
  // The terminal is stdout. Throws Error when the memory file or a descriptor cannot be made.
  TerminalOutput();

  // The file for ncurses. Outside of keep() it is the terminal: requests for terminal settings and output go to the
  // terminal directly.
  [[nodiscard]] std::FILE* file() const { return file_.get(); }

  // Calls `use`, keeps the output of ncurses in memory, and writes as much of it as the terminal accepts. Ctrl-Z is
  // blocked meanwhile, because ncurses writes when it handles Ctrl-Z.
  void keep(const std::function<void()>& use);
  // Whether the terminal has not accepted all output yet. Output for a terminal that has gone is dropped.
  [[nodiscard]] bool is_pending() const { return is_pending_; }
  // Writes more of the pending output.
  void flush();
  // Readable when flush() can write more.
  [[nodiscard]] int poll_fd() const { return writer_.poll_fd(); }
  // Ends the output: waits for the terminal for at most this time, and drops the rest.
  void finish(double patience_s) noexcept;

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void take_kept();

  std::unique_ptr<std::FILE, Closer> file_;
  Fd kept_;  // a file in memory; in keep() it takes the place of file_'s descriptor
  StreamWriter writer_;
  bool is_pending_ = false;
};

}  // namespace profile
