// The line that says what a run does. The text formats for people print it above their reports.
#pragma once

#include <iosfwd>
#include <string>

#include "model/profile.h"

namespace profile {

// "Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs."
[[nodiscard]] std::string header_line(const RunInfo& run);
// The line and an empty one.
void write_header(std::ostream& out, const RunInfo& run);

// The same line as a title: without "... Hit Ctrl-C to end.".
[[nodiscard]] std::string title_of(const RunInfo& run);

}  // namespace profile
