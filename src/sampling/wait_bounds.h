// Converts the bounds of --min-block-us and --max-block-us for the BPF programs.
#pragma once

#include <cstdint>

namespace profile {

// Microseconds to nanoseconds; UINT64_MAX when the result is too large.
constexpr std::uint64_t nanoseconds(std::uint64_t us) { return us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000; }

}  // namespace profile
