// The parser: a child that reads untrusted files, in a sandbox, and answers one question after another.
#pragma once

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: the channel from the main process. `files`: descriptors from the opener. `served`:
// descriptors from the child that asks debuginfod, or no Fd.
[[noreturn]] void run_parser(Fd questions, Fd files, Fd served);

}  // namespace profile
