// Prints a histogram of durations in the format of bcc's tools, because many users know it.
#pragma once

#include <iosfwd>

#include "model/measures.h"

namespace profile {

// `times` is in nanoseconds; the output uses the unit with the shortest numbers. Writes nothing when `times` is empty.
void write_histogram(std::ostream& out, const Log2Histogram& times);

}  // namespace profile
