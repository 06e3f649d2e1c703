// SIGPIPE and SIGXFSZ: what writing to a closed pipe or beyond the limit of a file's size does unless told otherwise.
#pragma once

namespace profile {

// From here on these are errors of write() instead, which names the file.
void ignore_write_signals() noexcept;
// As it was when the program began, for a child between fork and exec: ignored signals stay ignored over exec, and a
// command that is to be profiled behaves as it does without us.
void restore_write_signals() noexcept;

}  // namespace profile
