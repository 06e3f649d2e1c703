// Converts what the run was asked for into the RunInfo that reports show.
#pragma once

#include "model/profile.h"

namespace profile {

struct Options;
class Source;

// The facts come from the command line (`options`) and from the source.
[[nodiscard]] RunInfo run_info_of(const Options& options, const Source& source);

}  // namespace profile
