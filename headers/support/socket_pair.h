// What two processes of ours talk through.
#pragma once

#include <utility>

#include "support/fd.h"

namespace profile {

// Two ends of one stream, both closed on exec. Throws Error.
[[nodiscard]] std::pair<Fd, Fd> new_socket_pair();

}  // namespace profile
