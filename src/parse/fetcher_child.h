// The fetcher: a child that asks debuginfod servers for debug files, over the network, without any privilege.
#pragma once

#include "support/fd.h"

namespace profile {

// Never returns. `questions`: the channel from the main process. First it sends an empty text when it can work, or the
// reason why it cannot. Then each question is a number and a build-id; it answers whether there is a file, and sends
// the file with its number to the parser. A descriptor without a question is the way to a new parser.
[[noreturn]] void run_fetcher(Fd questions);

}  // namespace profile
