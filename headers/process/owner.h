// Which user a process belongs to, and which number it has in its own PID namespace. Both come from /proc/PID/status.
#pragma once

#include <cstdint>
#include <optional>

namespace profile {

struct ProcessOwner {
  std::uint32_t uid = 0;
  std::uint32_t innermost_tgid = 0;  // in its own PID namespace
};

// nullopt when the process is gone.
[[nodiscard]] std::optional<ProcessOwner> owner_of_process(std::uint32_t tgid);

}  // namespace profile
