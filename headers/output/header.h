// The line that says what a run does, above the reports of the formats for people.
#pragma once

#include <iosfwd>

#include "model/profile.h"

namespace profile {

// "Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs." and an empty line.
void write_header(std::ostream& out, const RunInfo& run);

}  // namespace profile
