#include "support/clock.h"

#include <ctime>

namespace profile {

namespace {

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t monotonic_ns() noexcept { return now_ns(CLOCK_MONOTONIC); }

std::uint64_t thread_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

std::uint64_t unix_offset_ns() noexcept { return now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC); }

void UnixClock::look() {
  constexpr std::uint64_t least_jump_ns = 1'000'000;
  const std::uint64_t now = asked_();
  // Both differences are modulo 2^64, like the offset itself.
  if (now - offset_ns_ >= least_jump_ns && offset_ns_ - now >= least_jump_ns) offset_ns_ = now;
}

}  // namespace profile
