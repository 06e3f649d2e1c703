// The clock that samples, side-band records and our own times share, so that they can be put in order; and conversions
// of its unit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace profile {

inline constexpr std::uint64_t ns_per_s = 1'000'000'000;

[[nodiscard]] constexpr double to_seconds(std::uint64_t ns) noexcept {
  return static_cast<double>(ns) / static_cast<double>(ns_per_s);
}
// `seconds` must not be negative, and must be less than 500 years.
[[nodiscard]] constexpr std::uint64_t to_ns(double seconds) noexcept {
  return static_cast<std::uint64_t>(seconds * static_cast<double>(ns_per_s));
}

// "1.500 s", "20.000 ms" or "3.000 us": with a digit other than 0 before the point, as far as there is one.
[[nodiscard]] std::string time_text(std::uint64_t ns);

// CLOCK_MONOTONIC in nanoseconds, as the kernel has it: no time namespace changes it. Safe in a signal handler.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

// The CPU time of the calling thread.
[[nodiscard]] std::uint64_t thread_cpu_ns() noexcept;

// The nanoseconds to add to monotonic_ns() to get the time since 1970, as of now.
[[nodiscard]] std::uint64_t unix_offset_ns() noexcept;

// Converts times of CLOCK_MONOTONIC to Unix time. CLOCK_MONOTONIC runs evenly; Unix time jumps when a user sets it or
// after the machine has slept.
class UnixClock {
 public:
  explicit UnixClock(std::function<std::uint64_t()> offset_ns = unix_offset_ns)
      : asked_(std::move(offset_ns)), offset_ns_(asked_()) {}
  // Follows a jump of Unix time. Two readings always differ a little, so less than a millisecond is no jump: times
  // between jumps keep their order and distance.
  void look();
  [[nodiscard]] std::uint64_t at(std::uint64_t ns) const { return ns + offset_ns_; }

 private:
  std::function<std::uint64_t()> asked_;
  std::uint64_t offset_ns_;
};

}  // namespace profile
