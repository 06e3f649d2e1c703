// The clock that samples, side-band records and our own notes of time share, so that they can be put in order.
#pragma once

#include <cstdint>

namespace profile {

// CLOCK_MONOTONIC in nanoseconds. Safe in a signal handler.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

// What to add to it for nanoseconds since 1970, as of now.
[[nodiscard]] std::uint64_t unix_offset_ns() noexcept;

}  // namespace profile
