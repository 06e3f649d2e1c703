#include "children/detached_child.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <span>
#include <utility>

#include "support/process_fd.h"
#include "support/signals.h"

namespace profile {
namespace {

// The wait is at most this long after the user asks for the end.
constexpr std::chrono::milliseconds patience_at_the_end{500};

}  // namespace

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

DetachedChild::DetachedChild(const std::function<int(const Fd& socket)>& work) {
  auto [ours, its] = new_socket_pair();
  child_ = fork_child(ChildKind::writer, std::span(&its, 1), [&](auto sockets) { return work(sockets[0]); });
  list_own_process(child_);
  socket_ = std::move(ours);
}

DetachedChild::~DetachedChild() {
  abandon();
  static_cast<void>(is_gone());
}

void DetachedChild::abandon() {
  if (child_.pid != 0 && !is_abandoned_) kill_process(child_.process);
  is_abandoned_ = true;
}

bool DetachedChild::is_gone() {
  if (child_.pid != 0 && ::waitpid(child_.pid, nullptr, WNOHANG) != 0) child_.pid = 0;
  return child_.pid == 0;
}

int DetachedChild::finish(const Deadline& deadline) {
  if (child_.pid == 0 || is_abandoned_) return EIO;
  for (bool is_over = false;; is_over = !is_ready_in_time(child_.process.get(), POLLIN, deadline)) {
    int status = 0;
    const pid_t ended = ::waitpid(child_.pid, &status, WNOHANG);
    if (ended != 0) {
      child_.pid = 0;
      return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
    }
    if (!is_over) continue;
    abandon();
    return ETIMEDOUT;
  }
}

}  // namespace profile
