#pragma once

#include "model/profile.h"

namespace profile {

struct Options;
class Source;

// What was asked for, in the words that reports use: from the command line and the source to the model.
[[nodiscard]] RunInfo run_info_of(const Options& options, const Source& source);

}  // namespace profile
