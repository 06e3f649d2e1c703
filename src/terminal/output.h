// Where ncurses writes to: into memory, and from there to the terminal as far as that takes it without waiting. ncurses
// itself writes and waits, and a terminal that stands still (ssh asleep) would hold up the run.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>

#include "files/stream_writer.h"
#include "support/fd.h"

namespace profile {

class TerminalOutput {
 public:
  // For the terminal that stdout is. Throws Error when memory for it cannot be had.
  TerminalOutput();

  // For ncurses. What it is asked of the terminal's settings is the terminal's answer; what is written outside of
  // keep() goes there at once.
  [[nodiscard]] std::FILE* file() const { return file_.get(); }

  // Calls `use`, keeps what it makes ncurses write, and writes what the terminal takes. Ctrl-Z waits meanwhile: what
  // ncurses does about it is to write.
  void keep(const std::function<void()>& use);
  // Whether the terminal has not taken all of it yet. One that is gone takes everything.
  [[nodiscard]] bool is_pending() const { return is_pending_; }
  // Writes more of what is pending.
  void flush();
  // Readable when flush() has something to do that it could not do before.
  [[nodiscard]] int poll_fd() const { return writer_.poll_fd(); }
  // Ends it: waits for the terminal for so long at most, and drops what it does not take.
  void finish(double patience_s) noexcept;

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void take_kept();

  std::unique_ptr<std::FILE, Closer> file_;
  Fd kept_;  // a file in memory, which takes the place of file_'s descriptor while something is drawn
  StreamWriter writer_;
  bool is_pending_ = false;
};

}  // namespace profile
