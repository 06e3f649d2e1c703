// Waits for several descriptors at once and calls whoever belongs to the one that is ready.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "support/fd.h"

namespace profile {

// Becomes readable after `first_s` seconds, and then every `every_s` (0: once). Both in seconds; first_s 0: not before
// it is set again.
class Timer {
 public:
  Timer(double first_s, double every_s);
  void set(double first_s, double every_s);
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Takes note that it was seen; returns how many times it fired since.
  std::uint64_t acknowledge();

 private:
  Fd fd_;
};

class EventLoop {
 public:
  EventLoop();
  // `fd` is not owned and must stay open as long as the loop.
  void add(int fd, std::function<void()> on_readable);
  // The same, but after each call nobody is woken for it until what is returned is called.
  [[nodiscard]] std::function<void()> add_once(int fd, std::function<void()> on_readable);
  // Calls `on_gone` when nobody reads any more what is written to `fd`, a pipe, socket or terminal; never for what has
  // no reader, as a file. `on_gone` removes `fd`.
  void add_reader_gone(int fd, std::function<void()> on_gone);
  // `fd` is one that was added; its callback is not called any more, once those under way have returned.
  void remove(int fd);
  // Calls `on_time` after `first_s` seconds, and then every `every_s` (as Timer). The timer lives as long as the loop.
  Timer& add_timer(double first_s, double every_s, std::function<void()> on_time);
  // Waits for at least one, and calls each that is ready. What a callback throws comes through.
  void run_once();

 private:
  Fd epoll_;
  std::deque<std::function<void()>> callbacks_;  // deques: epoll and callbacks keep pointers to what is in them
  std::deque<Timer> timers_;
};

}  // namespace profile
