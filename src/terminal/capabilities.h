// Checks that there is a terminal that --top can draw on, before the first byte is written to it.
#pragma once

#include <string>

namespace profile {

// The type of the terminal of stdin and stdout (TERM). Throws Error when one of them is not a terminal, when the type
// is unknown, or when the terminal cannot move its cursor.
[[nodiscard]] std::string checked_terminal_type();

}  // namespace profile
