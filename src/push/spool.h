// The directory of --spool.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "push/target.h"
#include "support/fd.h"

namespace profile {

// Opens a directory below `path` for each target, which no other run uses then, and which only its owner may enter.
// Missing ones are made. They belong to `owner` if this process may give files away. Throws Error.
[[nodiscard]] std::vector<Fd> open_spools(const std::string& path, const std::vector<PushTarget>& targets, uid_t owner);

// The name of a target's directory: readable, and another one for each target.
[[nodiscard]] std::string spool_name_of(const PushTarget& target);

}  // namespace profile
