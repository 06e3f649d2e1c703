#include "support/event_loop.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <utility>

#include "support/clock.h"
#include "support/error.h"

namespace profile {
namespace {

// At least one nanosecond for a positive time, because an all-zero time stops the timer.
timespec timespec_of(double seconds) {
  if (seconds <= 0) return {};
  const double whole = std::floor(seconds);
  const auto nanoseconds = static_cast<long>((seconds - whole) * ns_per_s);
  timespec time{.tv_sec = static_cast<time_t>(whole), .tv_nsec = nanoseconds};
  if (time.tv_sec == 0 && time.tv_nsec == 0) time.tv_nsec = 1;
  return time;
}

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("cannot wait for events", errno);
}

void EventLoop::add(int fd, std::function<void()> on_readable) {
  control(EPOLL_CTL_ADD, fd, EPOLLIN, callbacks_.emplace_back(std::move(on_readable)));
}

// `allowed` is an errno that is no error.
void EventLoop::control(int operation, int fd, std::uint32_t events, std::function<void()>& callback, int allowed) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &callback;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) == 0 || errno == allowed) return;
  throw system_error("cannot wait for events", errno);
}

std::function<void()> EventLoop::add_once(int fd, std::function<void()> on_readable) {
  std::function<void()>& callback = callbacks_.emplace_back(std::move(on_readable));
  control(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT, callback);
  return [this, fd, &callback] { control(EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT, callback); };
}

void EventLoop::add_wakeups(int fd, std::function<void()> on_wakeup) {
  control(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET, callbacks_.emplace_back(std::move(on_wakeup)));
}

void EventLoop::add_reader_gone(int fd, std::function<void()> on_gone) {
  // epoll always reports errors and hang-ups.
  control(EPOLL_CTL_ADD, fd, 0, callbacks_.emplace_back(std::move(on_gone)), EPERM);
}

void EventLoop::remove(int fd) {
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr) != 0) throw system_error("cannot end to wait", errno);
}

Timer& EventLoop::add_timer(double first_s, double every_s, std::function<void()> on_time) {
  Timer& timer = timers_.emplace_back(first_s, every_s);
  add(timer.fd(), [&timer, on_time = std::move(on_time)] {
    if (timer.acknowledge() != 0) on_time();
  });
  return timer;
}

void EventLoop::run_once() {
  std::array<epoll_event, 16> events{};
  const int ready = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
  if (ready < 0 && errno != EINTR) throw system_error("cannot wait for events", errno);
  for (int i = 0; i < ready; ++i)
    (*static_cast<std::function<void()>*>(events[static_cast<std::size_t>(i)].data.ptr))();
}

Timer::Timer(double first_s, double every_s) : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!fd_) throw system_error("cannot make a timer", errno);
  set(first_s, every_s);
}

void Timer::set(double first_s, double every_s) {
  itimerspec times{.it_interval = timespec_of(every_s), .it_value = timespec_of(first_s)};
  if (::timerfd_settime(fd_.get(), 0, &times, nullptr) != 0) throw system_error("cannot set a timer", errno);
}

std::uint64_t Timer::acknowledge() {
  std::uint64_t fired = 0;
  if (::read(fd_.get(), &fired, sizeof fired) != static_cast<ssize_t>(sizeof fired)) return 0;
  return fired;
}

}  // namespace profile
