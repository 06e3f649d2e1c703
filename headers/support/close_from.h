// Closes the descriptors that a new process inherits and must not keep.
#pragma once

namespace profile {

// Closes all descriptors from `first` on. It is safe between fork and exec.
void close_from(int first) noexcept;

}  // namespace profile
