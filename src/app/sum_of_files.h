// Adds up the profiles of several files; their order does not matter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

// `paths` has at least one path; "-" is stdin. Samples of different weights (taken at different rates) are added up as
// the nanoseconds that they stand for. Throws an Error that names the files if values cannot be added up, or if weights
// differ and one is unknown. `note` is called with a line for each assumption.
[[nodiscard]] Profile sum_of_files(const std::vector<std::string>& paths,
                                   const std::function<void(const std::string&)>& note);

}  // namespace profile
