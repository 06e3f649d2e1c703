// Work on a file system that may never answer: one that a server or another process answers for. Whoever is stuck there
// cannot even be killed, so a process of its own is, and can be left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "support/deadline.h"
#include "support/fd.h"

namespace profile {

// Nobody waits longer than that for such a file system to take something.
inline constexpr std::chrono::seconds patience_with_writing{10};
inline constexpr const char* takes_nothing = "its file system does not answer";

// Whether what is open is of that type, as of stat(2), and lies on one. Asks no file server.
[[nodiscard]] bool is_served_elsewhere(const Fd& place, mode_t type);

// Waits until `fd` is ready for `events`. False: it was not in time, or not soon after the person asked for the end.
[[nodiscard]] bool is_ready_in_time(int fd, short events, const Deadline& deadline);

class Aside {
 public:
  // Throws Error. `work` runs in the process, which has nothing open but `in` as its standard input and `out` as its
  // standard output; what it returns is an errno.
  Aside(const Fd& in, const Fd& out, const std::function<int()>& work);
  // What it has not done by then is lost.
  ~Aside();
  Aside(Aside&& other) noexcept;
  Aside& operator=(Aside&&) = delete;
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // Until it ends. The errno of what went wrong; ETIMEDOUT: it is left behind.
  int finish(const Deadline& deadline);
  // One that is stuck ends when its file system answers, and nobody waits for that.
  void leave();
  // After leave(): that has happened.
  [[nodiscard]] bool is_gone();

 private:
  std::optional<pid_t> child_;
  bool is_left_ = false;
  Fd child_fd_;
};

}  // namespace profile
