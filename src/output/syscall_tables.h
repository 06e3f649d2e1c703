// The text tables about system calls.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "model/profile.h"

namespace profile {

// `profile.syscalls` must be set. Each table has at most `top` rows.
void write_syscall_tables(std::ostream& out, const Profile& profile, std::size_t top);

}  // namespace profile
