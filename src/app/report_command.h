// `profile report FILE...`: what was recorded, here or elsewhere, in any format. So recording and looking can be apart.
#pragma once

#include <span>

#include "app/reading.h"

namespace profile {

// Which options it takes.
[[nodiscard]] const ReadingCommand& report_command();
// `arguments` behind the word "report". Returns the exit status; throws Error.
[[nodiscard]] int run_report(std::span<const char* const> arguments);

}  // namespace profile
