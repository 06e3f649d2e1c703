// A histogram of durations as bcc's tools print theirs, so that nobody has to learn to read it.
#pragma once

#include <iosfwd>

#include "model/measures.h"

namespace profile {

// `times` is in nanoseconds; the lines are in the unit that makes their numbers short. Nothing when it is empty.
void write_histogram(std::ostream& out, const Log2Histogram& times);

}  // namespace profile
