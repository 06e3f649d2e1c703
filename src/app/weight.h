// What the values of a profile from a file are worth, so that files whose samples have different weights can be added
// up or compared.
#pragma once

#include <string>

#include "model/profile.h"

namespace profile {

// Whether the values are nanoseconds, or samples that can become nanoseconds.
[[nodiscard]] bool is_time(const RunInfo& run);
// Converts samples into the nanoseconds that they stand for. Nanoseconds stay as they are. Throws an Error that names
// the file if the sum is too large.
void become_time(Profile& profile, const std::string& name);

}  // namespace profile
