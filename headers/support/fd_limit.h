// The limit of open descriptors. A machine can map more files than the usual 1024; our children keep the old limit.
#pragma once

#include <cstddef>

namespace profile {

// Raises the limit to `wanted`, or as far as the kernel lets us. Returns the limit in force.
std::size_t raise_fd_limit(std::size_t wanted);
// The number that a run needs. It watches processes on all online CPUs and samples some or all of them.
[[nodiscard]] std::size_t needed_fds(std::size_t online_cpus, std::size_t sampled_cpus);
// Raises the limit to `needed`. Throws Error when the kernel does not allow that much.
void require_fds(std::size_t needed);
// Restores the limit of the program's start. For a child between fork and exec: a limit above 1024 breaks users of
// select().
void restore_fd_limit() noexcept;

}  // namespace profile
