// Waits for several descriptors at once and calls the callback of each one that is ready.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "support/fd.h"

namespace profile {

// Becomes readable after `first_s` seconds, and then every `every_s` seconds (0: once). first_s 0: never, until it is
// set again. Throws Error when the kernel refuses.
class Timer {
 public:
  Timer(double first_s, double every_s);
  void set(double first_s, double every_s);
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Makes it unreadable again. Returns how often it fired since the last call.
  std::uint64_t acknowledge();

 private:
  Fd fd_;
};

// Throws Error when the kernel refuses.
class EventLoop {
 public:
  EventLoop();
  // `fd` is not owned and must stay open as long as the loop.
  void add(int fd, std::function<void()> on_readable);
  // The same, but after each call the loop ignores `fd` until the caller calls the returned function.
  [[nodiscard]] std::function<void()> add_once(int fd, std::function<void()> on_readable);
  // The same, but only when something wakes up the readers of `fd`, whatever there is to read.
  void add_wakeups(int fd, std::function<void()> on_wakeup);
  // Calls `on_gone` when the reader of `fd` (a pipe, socket or terminal) has closed its end; never for a regular file.
  // `on_gone` must remove `fd`.
  void add_reader_gone(int fd, std::function<void()> on_gone);
  // `fd` must have been added. Its callback is not called in later rounds, but it may still be called in this one.
  void remove(int fd);
  // Calls `on_time` after `first_s` seconds, and then every `every_s` seconds (as Timer). The timer lives as long as
  // the loop.
  Timer& add_timer(double first_s, double every_s, std::function<void()> on_time);
  // Waits for at least one descriptor and calls the callback of each that is ready. Exceptions of a callback reach the
  // caller.
  void run_once();

 private:
  void control(int operation, int fd, std::uint32_t events, std::function<void()>& callback, int allowed = 0);

  Fd epoll_;
  std::deque<std::function<void()>> callbacks_;  // deques, because epoll and callbacks keep pointers to their items
  std::deque<Timer> timers_;
};

}  // namespace profile
