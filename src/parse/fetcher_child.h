// The fetcher: asks debuginfod servers for debug files, over the network, without any privilege.
#pragma once

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: from the main process. First it says whether it can work, an empty text, or why it
// cannot. Then each question is a number and a build-id, answered by whether there is a file, which goes to the parser
// with its number. A descriptor without a question is the way to a new parser.
[[noreturn]] void run_fetcher(Fd questions);

}  // namespace profile
