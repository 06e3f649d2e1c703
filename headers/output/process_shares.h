// Says how a profile divides among the programs that it has.
#pragma once

#include <string>

#include "model/profile.h"

namespace profile {

// "programs: 62.1% cc1plus in 34 processes, 20.3% node, 3.4% 12 others": the largest ones by name, and in how many
// processes their samples were taken. Empty when there is only one, and for waits, most of which are idle: their
// threads have a table.
[[nodiscard]] std::string program_shares(const Profile& profile);

}  // namespace profile
