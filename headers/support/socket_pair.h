// The connection between two of our processes.
#pragma once

#include <utility>

#include "support/fd.h"

namespace profile {

// The two ends of a stream socket; exec closes both. Throws Error.
[[nodiscard]] std::pair<Fd, Fd> new_socket_pair();

}  // namespace profile
