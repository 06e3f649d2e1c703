// `profile report FILE...`: reads recorded profiles, also from other tools, and writes them in any format. So
// recording and viewing can be separate.
#pragma once

#include <span>

#include "app/reading.h"

namespace profile {

// The name of the command and the options that it takes.
[[nodiscard]] const ReadingCommand& report_command();
// `arguments` are the words after "report". Returns the exit status; throws Error.
[[nodiscard]] int run_report(std::span<const char* const> arguments);

}  // namespace profile
