// `profile diff BEFORE AFTER`: what got slower, as a table or as a flame graph in two colours.
#pragma once

#include <span>

#include "app/reading.h"

namespace profile {

// Which options it takes.
[[nodiscard]] const ReadingCommand& diff_command();
// `arguments` behind the word "diff". Returns the exit status; throws Error.
[[nodiscard]] int run_diff(std::span<const char* const> arguments);

}  // namespace profile
