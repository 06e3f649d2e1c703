// Prints what a profile holds besides stacks as text for people: blocked threads, durations with their histograms, and
// system calls last. The format `table` prints it, `counted` prints it after the stacks, and `html` puts it into the
// page.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "model/profile.h"

namespace profile {

// Prints each table that `profile` has, with at most `top` rows each. Prints nothing when it has no table.
void write_tables(std::ostream& out, const Profile& profile, std::size_t top);

}  // namespace profile
