// --source and --sources: finds the source and the code of functions, and what each line of them has cost.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/listing.h"
#include "model/profile.h"

namespace profile {

class Children;

// Names the functions of `profile` that had no symbol, as far as their files are here as they ran, or their debug
// files.
void add_names(Profile& profile, Children& children);
// Gives the frames of `profile` their lines and inlined functions, as far as their files are here as they ran.
void add_lines(Profile& profile, Children& children);
// Listings of the functions with these names. Throws Error for a name that no function has. `note` is called with lines
// about what is missing.
[[nodiscard]] SourceListings listings_of_named(const Profile& profile, const std::vector<std::string>& names,
                                               Children& children, const std::function<void(const std::string&)>& note);
// Listings of the largest functions for a page, which is mailed: only lines and instructions near those with a value,
// and together at most a megabyte of text. Its notes say what they are.
// `note` is called with these.
[[nodiscard]] SourceListings listings_for_page(const Profile& profile, Children& children,
                                               const std::function<void(const std::string&)>& note);

}  // namespace profile
