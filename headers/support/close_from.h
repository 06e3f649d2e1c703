// Closes what a new process has inherited and must not keep.
#pragma once

namespace profile {

// All descriptors from `first` on. Calls nothing that is not safe between fork and exec.
void close_from(int first) noexcept;

}  // namespace profile
