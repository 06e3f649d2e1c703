// Counts what each line and each place in the code of a function has cost, for listings of its source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/listing.h"
#include "model/profile.h"

namespace profile {

// The functions of `profile` with that name or, if there is none, with that name before their parameters; each file
// with such a function has its own. The largest value comes first. Their lines and places have values, no texts.
// `nearest`: if there is no such function, names that are like it.
[[nodiscard]] std::vector<FunctionListing> functions_named(const Profile& profile, std::string_view name,
                                                           std::vector<std::string>& nearest);
// The functions of user code with the largest values of their own, at most `most`, and those with the largest totals,
// at most half as many.
[[nodiscard]] std::vector<FunctionListing> largest_functions(const Profile& profile, std::size_t most);

}  // namespace profile
