// Whether there is a terminal that --top can draw on, found out before the first byte is written to it.
#pragma once

#include <string>

namespace profile {

// The type of the terminal that stdin and stdout are (TERM). Throws Error when they are none, when nothing is known of
// its type, or when its cursor cannot be moved.
[[nodiscard]] std::string checked_terminal_type();

}  // namespace profile
