#include "support/clock.h"

#include <cstdio>
#include <ctime>
#include <fstream>

namespace profile {

namespace {

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// How far CLOCK_MONOTONIC of this process is ahead of the kernel's, modulo 2^64. A process keeps its time namespace.
std::uint64_t read_namespace_offset_ns() {
  std::ifstream offsets("/proc/self/timens_offsets");
  std::string clock;
  for (std::int64_t seconds = 0, ns = 0; offsets >> clock >> seconds >> ns;) {
    if (clock == "monotonic") return static_cast<std::uint64_t>(seconds) * ns_per_s + static_cast<std::uint64_t>(ns);
  }
  return 0;  // the kernel has no time namespaces
}

}  // namespace

std::string time_text(std::uint64_t ns) {
  constexpr std::uint64_t ns_per_us = 1000;
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  const bool is_short = ns < ns_per_ms;
  const std::uint64_t unit_ns = ns >= ns_per_s ? ns_per_s : is_short ? ns_per_us : ns_per_ms;
  char text[32];
  std::snprintf(text, sizeof text, "%.3f %s", static_cast<double>(ns) / static_cast<double>(unit_ns),
                ns >= ns_per_s ? "s"
                : is_short     ? "us"
                               : "ms");
  return text;
}

std::uint64_t monotonic_ns() noexcept {
  // No signal handler comes before the first call.
  static const std::uint64_t namespace_offset_ns = read_namespace_offset_ns();
  return now_ns(CLOCK_MONOTONIC) - namespace_offset_ns;
}

std::uint64_t thread_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

std::uint64_t unix_offset_ns() noexcept { return now_ns(CLOCK_REALTIME) - monotonic_ns(); }

void UnixClock::look() {
  constexpr std::uint64_t least_jump_ns = 1'000'000;
  const std::uint64_t now = asked_();
  // Both differences are modulo 2^64, like the offset itself.
  if (now - offset_ns_ >= least_jump_ns && offset_ns_ - now >= least_jump_ns) offset_ns_ = now;
}

}  // namespace profile
