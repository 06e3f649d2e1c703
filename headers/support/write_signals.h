// SIGPIPE and SIGXFSZ: a write to a closed pipe, or beyond the limit of a file's size, kills the process by default.
#pragma once

namespace profile {

// From here on write() returns an error instead, and the message can name the file.
void ignore_write_signals() noexcept;
// Restores the state of the program's start, for a child between fork and exec. Ignored signals stay ignored over exec,
// and a profiled command must behave as it does without us.
void restore_write_signals() noexcept;

}  // namespace profile
