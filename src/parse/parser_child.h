// The parser: reads what strangers wrote, in a sandbox, and answers one question after another.
#pragma once

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: from the main process; `files`: descriptors from the opener; `served`: from the child
// that asks debuginfod, or none.
[[noreturn]] void run_parser(Fd questions, Fd files, Fd served);

}  // namespace profile
