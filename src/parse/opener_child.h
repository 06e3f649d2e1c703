// The opener: opens files of strangers with root's rights, in threads of which any may wait for ever.
#pragma once

#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: from the main process.
[[noreturn]] void run_opener(Fd questions, const std::vector<std::string>& debug_directories);

}  // namespace profile
