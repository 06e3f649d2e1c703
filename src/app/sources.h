// --source and --sources: finds the source and the code of functions, and what each line of them has cost.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/listing.h"
#include "model/profile.h"

namespace profile {

class Children;

// Listings of the functions with these names. Gives the frames of `profile` their lines, as far as their files are
// there. Throws Error for a name that no function has. `note` is called with lines about what is missing.
[[nodiscard]] SourceListings listings_of_named(Profile& profile, const std::vector<std::string>& names,
                                               Children& children, const std::function<void(const std::string&)>& note);

}  // namespace profile
