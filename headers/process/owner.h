// Whose a process is, and by what number it knows itself: what its /proc/PID/status says.
#pragma once

#include <cstdint>
#include <optional>

namespace profile {

struct ProcessOwner {
  std::uint32_t uid = 0;
  std::uint32_t innermost_tgid = 0;  // in its own PID namespace
};

// nullopt once it is gone.
[[nodiscard]] std::optional<ProcessOwner> owner_of_process(std::uint32_t tgid);

}  // namespace profile
