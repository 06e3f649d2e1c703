// The line that this program writes above a report (output/header.cpp), which is all that a counted report says about
// its run. Pprof files and speedscope files hold it too.
#pragma once

#include <string_view>

#include "model/profile.h"

namespace profile {

// Sets event, unit, counted and rate of `run`, as far as the line tells them. False if this program does not write such
// a line; then nothing has changed.
bool read_header_line(std::string_view line, RunInfo& run);

}  // namespace profile
