// What was asked for, in the words that reports use: from the command line and the source to the model.
#pragma once

#include "app/options.h"
#include "model/profile.h"
#include "sampling/source.h"

namespace profile {

[[nodiscard]] RunInfo run_info_of(const Options& options, const Source& source);

}  // namespace profile
