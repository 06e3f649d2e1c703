// The bounds of --min-block-us and --max-block-us as the kernel side wants them.
#pragma once

#include <cstdint>

namespace profile {

// Microseconds as nanoseconds; what is too long for that is as long as can be.
constexpr std::uint64_t nanoseconds(std::uint64_t us) { return us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000; }

}  // namespace profile
