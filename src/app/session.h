// One run: what was asked for is checked, sampling armed, the loop turned until something ends it, and what was
// collected is named and written. The only place that knows all the rooms.
#pragma once

#include "app/options.h"

namespace profile {

// Returns the exit status. Throws Error when nothing could be sampled.
[[nodiscard]] int run_session(const Options& options);

}  // namespace profile
