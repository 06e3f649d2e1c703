// The clock that samples, side-band records and our own notes of time share, so that they can be put in order, and its
// unit.
#pragma once

#include <cstdint>

namespace profile {

inline constexpr std::uint64_t ns_per_s = 1'000'000'000;

[[nodiscard]] constexpr double to_seconds(std::uint64_t ns) noexcept {
  return static_cast<double>(ns) / static_cast<double>(ns_per_s);
}
// Of what is not negative, and less than 500 years.
[[nodiscard]] constexpr std::uint64_t to_ns(double seconds) noexcept {
  return static_cast<std::uint64_t>(seconds * static_cast<double>(ns_per_s));
}

// CLOCK_MONOTONIC in nanoseconds. Safe in a signal handler.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

// What to add to it for nanoseconds since 1970, as of now.
[[nodiscard]] std::uint64_t unix_offset_ns() noexcept;

}  // namespace profile
