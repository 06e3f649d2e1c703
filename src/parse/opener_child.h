// The opener: a child that opens untrusted files with root's rights. It does so in threads, because any of them may
// wait for ever.
#pragma once

#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: the channel from the main process.
[[noreturn]] void run_opener(Fd questions, const std::vector<std::string>& debug_directories);

}  // namespace profile
