// `profile diff BEFORE AFTER`: shows what got slower, as a table or as a flame graph in two colours.
#pragma once

#include <span>

#include "app/reading.h"

namespace profile {

// The name of the command and the options that it takes.
[[nodiscard]] const ReadingCommand& diff_command();
// `arguments` are the words after "diff". Returns the exit status; throws Error.
[[nodiscard]] int run_diff(std::span<const char* const> arguments);

}  // namespace profile
