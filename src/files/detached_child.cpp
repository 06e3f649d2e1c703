#include "files/detached_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "support/error.h"
#include "support/own_processes.h"
#include "support/process_fd.h"
#include "support/safe_open.h"
#include "support/signals.h"

namespace profile {
namespace {

// Local file systems that have no block device of their own.
constexpr std::string_view local[] = {"tmpfs", "ramfs", "btrfs", "zfs", "bcachefs", "hugetlbfs"};
// The wait is at most this long after the user asks for the end.
constexpr std::chrono::milliseconds patience_at_the_end{500};

// The child keeps no descriptor that others wait for, and it gets no signal from the terminal.
[[noreturn]] void run(int in, int out, const std::function<int()>& work, pid_t parent) noexcept {
  ::prctl(PR_SET_NAME, "profile-writer");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EIO);
  ::setsid();
  // Both move above stderr first, so that neither dup2() overwrites the other one.
  const int spare_in = ::fcntl(in, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int spare_out = ::fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(spare_in, STDIN_FILENO);
  ::dup2(spare_out, STDOUT_FILENO);
  ::dup2(STDIN_FILENO, STDERR_FILENO);
  close_from(STDERR_FILENO + 1);
  ::_exit(work());
}

}  // namespace

bool is_served_elsewhere(const Look& look) {
  if (look.found.stx_dev_major != 0 || look.is_memory) return false;
  return std::find(std::begin(local), std::end(local), look.mount.type) == std::end(local);
}

bool is_ready_in_time(int fd, short events, const Deadline& given) {
  Deadline deadline = given;
  const sigset_t signals = end_signals();
  // The signals stay pending, so that the run can read them later.
  const Fd asked(::signalfd(-1, &signals, SFD_CLOEXEC));
  pollfd awaited[] = {{.fd = fd, .events = events, .revents = 0}, {.fd = asked.get(), .events = POLLIN, .revents = 0}};
  for (;;) {
    const int ready = ::poll(awaited, 2, static_cast<int>(deadline.left().count()));
    if (ready > 0 && awaited[0].revents != 0) return true;
    if (ready > 0) {
      awaited[1].fd = -1;
      if (deadline.left() > patience_at_the_end) deadline = Deadline(patience_at_the_end);
    } else if (deadline.is_over()) {
      return false;
    }
  }
}

DetachedChild::DetachedChild(const Fd& in, const Fd& out, const std::function<int()>& work) {
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (child == 0) run(in.get(), out.get(), work, self);
  child_ = child;
  child_fd_ = process_fd(child);
  own_processes().push_back(child);
}

DetachedChild::DetachedChild(DetachedChild&& other) noexcept
    : child_(std::exchange(other.child_, std::nullopt)),
      is_abandoned_(other.is_abandoned_),
      child_fd_(std::move(other.child_fd_)) {}

DetachedChild::~DetachedChild() {
  abandon();
  static_cast<void>(is_gone());
}

void DetachedChild::abandon() {
  if (child_ && !is_abandoned_) kill_process(child_fd_);
  is_abandoned_ = true;
}

bool DetachedChild::is_gone() {
  if (child_ && ::waitpid(*child_, nullptr, WNOHANG) != 0) {
    std::erase(own_processes(), *child_);
    child_.reset();
  }
  return !child_;
}

int DetachedChild::finish(const Deadline& deadline) {
  if (!child_ || is_abandoned_) return EIO;
  for (bool is_over = false;; is_over = !is_ready_in_time(child_fd_.get(), POLLIN, deadline)) {
    int status = 0;
    const pid_t ended = ::waitpid(*child_, &status, WNOHANG);
    if (ended != 0) {
      std::erase(own_processes(), *child_);
      child_.reset();
      return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
    }
    if (!is_over) continue;
    abandon();
    return ETIMEDOUT;
  }
}

}  // namespace profile
