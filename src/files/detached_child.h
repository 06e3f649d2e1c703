// Does work on a file system that may never answer, because a server or another process serves it. A process that is
// stuck there cannot even be killed, so a child process does the work, and can be left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "support/deadline.h"
#include "support/fd.h"

namespace profile {

// The longest wait for such a file system to take something.
inline constexpr std::chrono::seconds patience_with_writing{10};
inline constexpr const char* takes_nothing = "its file system does not answer";

// Whether the open file has that type (as in stat(2)) and lies on such a file system. Asks no file server.
[[nodiscard]] bool is_served_elsewhere(const Fd& place, mode_t type);

// Waits until `fd` is ready for `events`. False: not before the deadline, or not soon after the user asked for the end.
[[nodiscard]] bool is_ready_in_time(int fd, short events, const Deadline& deadline);

class DetachedChild {
 public:
  // Throws Error. `work` runs in the child, which has `in` as stdin and stderr and `out` as stdout, and nothing else
  // open. It returns an errno.
  DetachedChild(const Fd& in, const Fd& out, const std::function<int()>& work);
  // Kills the child; unfinished work is lost.
  ~DetachedChild();
  DetachedChild(DetachedChild&& other) noexcept;
  DetachedChild& operator=(DetachedChild&&) = delete;
  DetachedChild(const DetachedChild&) = delete;
  DetachedChild& operator=(const DetachedChild&) = delete;

  // Waits for the child's end. Returns its errno; ETIMEDOUT: the child is left behind.
  int finish(const Deadline& deadline);
  // Kills the child without a wait. A child that is stuck ends when its file system answers.
  void abandon();
  // After abandon(): whether the child has ended.
  [[nodiscard]] bool is_gone();

 private:
  std::optional<pid_t> child_;
  bool is_abandoned_ = false;
  Fd child_fd_;
};

}  // namespace profile
