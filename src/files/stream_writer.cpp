// Writing without waiting needs O_NONBLOCK, which belongs to the open file description. That of stdout is shared with
// other processes, which do not expect EAGAIN. For a pipe or a terminal, opening /proc/self/fd/N gives a description of
// our own.
#include "files/stream_writer.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "files/detached_writer.h"
#include "files/open_output.h"
#include "support/clock.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr double ms_per_s = 1e3;

// 0: unknown.
mode_t type_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

// A write gives these errors when the reader is gone; a terminal that was hung up gives EIO.
bool means_closed(int error, bool is_terminal) {
  return error == EPIPE || error == ECONNRESET || (error == EIO && is_terminal);
}

// What poll() reports without waiting.
short state_of(int fd, short wanted) {
  pollfd state{.fd = fd, .events = wanted, .revents = 0};
  return ::poll(&state, 1, 0) > 0 ? state.revents : short{0};
}

}  // namespace

StreamWriter::StreamWriter(std::string path) : path_(std::move(path)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("cannot wait for events", errno);
  const bool is_stdout = path_ == "-";
  fd_ = open_named_output(path_, Readers::owner, detached_).fd;
  is_empty_ = is_stdout;
  is_terminal_ = ::isatty(fd_.get()) == 1;
  way_ = way_of(!is_stdout);
  if (way_ == Way::plain) return;
  epoll_event nothing{};
  can_wait_ = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd_.get(), &nothing) == 0;
  // epoll refuses a device that never makes a writer wait.
  if (!can_wait_ && errno == EPERM) way_ = Way::plain;
}

StreamWriter::~StreamWriter() = default;

StreamWriter::StreamWriter(StreamWriter&&) noexcept = default;

StreamWriter::Way StreamWriter::way_of(bool is_ours) {
  const mode_t type = type_of(fd_.get());
  if (type == S_IFREG) return Way::plain;
  if (type == S_IFSOCK) return Way::socket;
  // Other devices are not opened again, because some of them do something when they are opened.
  if (type != S_IFIFO && !is_terminal_) return Way::shared;
  if (is_ours) return ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK) == 0 ? Way::own : Way::shared;
  return make_own() ? Way::own : Way::shared;
}

// Fails when /proc is missing, when the pipe's reader is gone, and for another user's pipe or terminal.
bool StreamWriter::make_own() {
  const std::string link = "/proc/self/fd/" + std::to_string(fd_.get());
  Fd own(::open(link.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!own) return false;
  fd_ = std::move(own);
  return true;
}

StreamWriter::Result StreamWriter::flush() {
  if (!is_open_) return Result::closed_pipe;
  if (!is_empty_ && type_of(fd_.get()) == S_IFREG && ::ftruncate(fd_.get(), 0) != 0) fail(errno);
  is_empty_ = true;
  write_pending();
  forget_written();
  // The loss of the reader must be noticed also while nothing is pending.
  const bool is_idle = is_open_ && pending_bytes() == 0 && can_wait_;
  if (is_idle && (state_of(fd_.get(), 0) & (POLLERR | POLLHUP)) != 0) is_open_ = false;
  watch(pending_bytes() != 0 ? std::uint32_t{EPOLLOUT} : 0);
  if (!is_open_) return Result::closed_pipe;
  return pending_bytes() == 0 ? Result::written : Result::behind;
}

void StreamWriter::write_pending() {
  while (pending_bytes() != 0) {
    const long done = write_some(pending_.data() + written_, pending_bytes());
    if (done >= 0) {
      written_ += static_cast<std::size_t>(done);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      fail(errno);
      return;
    }
  }
}

long StreamWriter::write_some(const char* data, std::size_t size) const {
  if (way_ == Way::socket) return ::send(fd_.get(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (way_ == Way::shared) {
    if (state_of(fd_.get(), POLLOUT) == 0) {
      errno = EAGAIN;
      return -1;
    }
    size = std::min<std::size_t>(size, PIPE_BUF);
  }
  return ::write(fd_.get(), data, size);
}

// Ends the stream. Throws unless the only reason is that the reader is gone.
void StreamWriter::fail(int error) {
  is_open_ = false;
  forget_written();
  watch(0);
  if (detached_) throw unwritable(path_, detached_->finish(fd_), true);
  if (!means_closed(error, is_terminal_)) throw unwritable(path_, error, false);
}

void StreamWriter::forget_written() {
  while (!record_ends_.empty() && record_ends_.front() <= dropped_bytes_ + written_) record_ends_.pop_front();
  // Erases only when half of the bytes are written, so that each byte is moved at most once on average.
  if (written_ < pending_bytes()) return;
  pending_.erase(0, written_);
  dropped_bytes_ += written_;
  written_ = 0;
}

// With `events` 0 epoll still reports an error: the loss of a pipe's reader. After that nothing is watched.
void StreamWriter::watch(std::uint32_t events) {
  if (!can_wait_) return;
  epoll_event event{};
  event.events = events;
  ::epoll_ctl(epoll_.get(), is_open_ ? EPOLL_CTL_MOD : EPOLL_CTL_DEL, fd_.get(), &event);
  can_wait_ = is_open_;
}

StreamWriter::Unwritten StreamWriter::finish(double patience_s) {
  double left_s = patience_s;
  while (is_open_ && flush() == Result::behind && left_s > 0) {
    const std::uint64_t began_ns = monotonic_ns();
    pollfd state{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
    ::poll(&state, 1, static_cast<int>(std::ceil(left_s * ms_per_s)));
    left_s -= to_seconds(monotonic_ns() - began_ns);
  }
  const Unwritten rest{.bytes = pending_bytes(), .records = record_ends_.size()};
  const bool was_open = std::exchange(is_open_, false);
  watch(0);
  const int aside_error = detached_ && was_open ? detached_->finish(fd_) : 0;
  const int error = fd_ && ::close(fd_.release()) != 0 ? errno : 0;
  if (was_open && (error != 0 || aside_error != 0)) {
    throw unwritable(path_, error != 0 ? error : aside_error, detached_ != nullptr);
  }
  return rest;
}

}  // namespace profile
