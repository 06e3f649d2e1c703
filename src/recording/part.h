// Takes a part out of a recording that is being written, and makes a recording of it.
#pragma once

#include <string>
#include <string_view>

#include "recording/database.h"

namespace profile {

// The statements that make a recording without rows in the database that is attached under that name.
[[nodiscard]] std::string schema_in(std::string_view name);
// The file of a recording of the last `last_s` seconds of the one in `database`: whole ticks, and only what their
// samples refer to. It begins at its own time 0. It tells no address of the kernel or of a process. No transaction may
// be open. Throws Error.
[[nodiscard]] std::string part_of_recording(Database& database, double last_s);

}  // namespace profile
