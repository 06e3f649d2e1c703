// Does work on a file system that may never answer, because a server or another process serves it. A process that is
// stuck there cannot even be killed, so a child process does the work, and can be left behind.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>

#include "children/own_processes.h"
#include "support/deadline.h"
#include "support/fd.h"

namespace profile {

// The longest wait for such a file system to take something.
inline constexpr std::chrono::seconds patience_with_writing{10};

// Waits until `fd` is ready for `events`. False: not before the deadline, or not soon after the user asked for the end.
[[nodiscard]] bool is_ready_in_time(int fd, short events, const Deadline& deadline);

// Moves all bytes by calls of `way` that block. Returns an errno; EIO: the other end is gone.
template <class Way>
int move_all(const Way& way, char* at, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t done = way(at, bytes);
    if (done == 0) return EIO;
    if (done < 0 && errno != EINTR) return errno;
    if (done < 0) continue;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

class DetachedChild {
 public:
  // `work` runs in the child with its end of a socket. It returns an errno. Throws Error.
  explicit DetachedChild(const std::function<int(const Fd& socket)>& work);
  // Kills the child; unfinished work is lost.
  ~DetachedChild();
  DetachedChild(const DetachedChild&) = delete;
  DetachedChild& operator=(const DetachedChild&) = delete;

  // Our end of the socket.
  [[nodiscard]] Fd take_socket() { return std::move(socket_); }
  // Waits for the child's end. Returns its errno; ETIMEDOUT: the child is left behind.
  int finish(const Deadline& deadline);
  // Kills the child without a wait. A child that is stuck ends when its file system answers.
  void abandon();
  // After abandon(): whether the child has ended.
  [[nodiscard]] bool is_gone();

 private:
  OwnProcess child_;  // pid 0: it has ended
  Fd socket_;
  bool is_abandoned_ = false;
};

}  // namespace profile
