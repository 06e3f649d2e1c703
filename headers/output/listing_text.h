// Prints the source and the code of functions for people.
#pragma once

#include <iosfwd>

#include "model/listing.h"
#include "model/profile.h"

namespace profile {

// For each function its source, each line with its share, and its instructions below. Shares are of the function's
// total.
void write_listings(std::ostream& out, const Profile& profile, const SourceListings& listings);

}  // namespace profile
