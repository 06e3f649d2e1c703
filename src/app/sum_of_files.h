// Adds up the profiles of several files, whatever the order they are named in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

// Of at least one path; "-" is stdin. Samples of different weights (taken at different rates) are added up as the
// nanoseconds they stand for; what cannot be added up, or is not known to have the same weight, is an Error that names
// the files. `note` is told, in a line each, what had to be assumed.
[[nodiscard]] Profile sum_of_files(const std::vector<std::string>& paths,
                                   const std::function<void(const std::string&)>& note);

}  // namespace profile
