// The pid namespace this process lives in: ids typed and printed are told in it.
#pragma once

#include <cstdint>

namespace profile {

// Inode number of /proc/self/ns/pid; 0 when it cannot be read.
[[nodiscard]] std::uint32_t own_pid_namespace();
// Whether that is the machine's initial one, whose inode is fixed in the kernel (PROC_PID_INIT_INO).
[[nodiscard]] bool in_initial_pid_namespace();

}  // namespace profile
