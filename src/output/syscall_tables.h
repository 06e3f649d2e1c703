// The part of the tables that is about system calls.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "model/profile.h"

namespace profile {

// `profile` has counted system calls; at most `top` rows each.
void write_syscall_tables(std::ostream& out, const Profile& profile, std::size_t top);

}  // namespace profile
