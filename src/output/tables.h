// What a profile holds besides stacks, as text for people: blocked threads, system calls, durations with their
// histograms. Printed by the format `table`, and by `counted` behind the stacks.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "model/profile.h"

namespace profile {

// Prints each table that `profile` has, with at most `top` rows each; nothing when it has none.
void write_tables(std::ostream& out, const Profile& profile, std::size_t top);

}  // namespace profile
