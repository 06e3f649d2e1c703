// Performs one run: checks the options against the system, arms sampling, runs the event loop until something ends it,
// and names and writes the samples. This is the only place that knows all the rooms.
#pragma once

#include "app/options.h"

namespace profile {

// Returns the exit status. Throws Error when nothing could be sampled.
[[nodiscard]] int run_session(const Options& options);

}  // namespace profile
