// ncurses 6 does not use stdio but writes to the number of a descriptor, so a FILE of our own would not catch its
// output. Therefore that descriptor number refers to another file while ncurses draws.
#include "terminal/output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "support/blocked_signals.h"
#include "support/error.h"

namespace profile {
namespace {

Fd checked(int fd) {
  if (fd < 0) throw system_error("--top cannot use the terminal", errno);
  return Fd(fd);
}

}  // namespace

TerminalOutput::TerminalOutput() : kept_(checked(::memfd_create("terminal", MFD_CLOEXEC))), writer_("-") {
  Fd fd = checked(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  file_.reset(::fdopen(fd.get(), "w"));
  if (!file_) throw system_error("--top cannot use the terminal", errno);
  static_cast<void>(fd.release());  // file_ owns it now
}

void TerminalOutput::keep(const std::function<void()>& use) {
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  const BlockedSignals blocked(stop);
  const int fd = ::fileno(file_.get());
  if (::dup3(kept_.get(), fd, O_CLOEXEC) < 0) return;
  use();
  ::dup3(STDOUT_FILENO, fd, O_CLOEXEC);
  take_kept();
  flush();
}

void TerminalOutput::take_kept() {
  struct stat status {};
  if (::fstat(kept_.get(), &status) != 0) return;
  std::string& buffer = writer_.buffer();
  const std::size_t before = buffer.size();
  buffer.resize(before + static_cast<std::size_t>(status.st_size));
  const ssize_t got = ::pread(kept_.get(), buffer.data() + before, static_cast<std::size_t>(status.st_size), 0);
  buffer.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
  [[maybe_unused]] const int emptied = ::ftruncate(kept_.get(), 0);
  ::lseek(kept_.get(), 0, SEEK_SET);
}

// Ignores errors: there is no place to show them, and they must not end the run.
void TerminalOutput::flush() {
  try {
    is_pending_ = writer_.flush() == StreamWriter::Result::behind;
  } catch (const Error&) {
    is_pending_ = false;
  }
}

void TerminalOutput::finish(double patience_s) noexcept {
  try {
    static_cast<void>(writer_.finish(patience_s));
  } catch (const Error&) {  // the terminal has gone; the output is dropped
  }
  is_pending_ = false;
}

}  // namespace profile
