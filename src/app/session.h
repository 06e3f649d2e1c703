// Performs one run: checks the options against the system, arms sampling, runs the event loop until something ends it,
// and names and writes the samples. This is the only place that knows all the rooms.
#pragma once

#include <functional>

#include "app/options.h"

namespace profile {

// Returns the exit status. Throws Error when nothing could be sampled. With Options::reloads() SIGHUP ends the run and
// begins it again with what the file says by then, or, if `check_again` throws an Error, lets it go on: it reads the
// options again as this program was called. With --check it only checks the options.
[[nodiscard]] int run_session(const Options& options, const std::function<void()>& check_again);

}  // namespace profile
