// The work of the child that asks a store: gets SQL, and hands the answer on in pieces.
#pragma once

#include <string>

#include "children/channel.h"
#include "push/target.h"

namespace profile {

// Until the main process is gone. Throws Error if libcurl does not work.
void answer_queries(const PushTarget& store, const std::string& credentials, const WaitingChannel& main_process);

}  // namespace profile
