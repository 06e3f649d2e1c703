// The line that says what a run does, above the reports of the formats for people.
#pragma once

#include <iosfwd>
#include <string>

#include "model/profile.h"

namespace profile {

// "Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs." and an empty line.
void write_header(std::ostream& out, const RunInfo& run);

// The same line where it is a title, without what it says to somebody who waits.
[[nodiscard]] std::string title_of(const RunInfo& run);

}  // namespace profile
