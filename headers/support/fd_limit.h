// The limit of open descriptors. A machine maps more files than the usual 1024; children of ours must not notice.
#pragma once

#include <cstddef>

namespace profile {

// Raises the limit towards `wanted`, as far as we may; returns the one now in force.
std::size_t raise_fd_limit(std::size_t wanted);
// What a run needs: processes are watched on all CPUs that are online, and some or all of them sampled.
[[nodiscard]] std::size_t needed_fds(std::size_t online_cpus, std::size_t sampled_cpus);
// Raises the limit to that, as far as we may. Throws Error when it cannot be had.
void require_fds(std::size_t needed);
// As it was when the program began. For a child between fork and exec: a limit above 1024 breaks users of select().
void restore_fd_limit() noexcept;

}  // namespace profile
