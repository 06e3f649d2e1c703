// Many functions have several names; every source of names prefers the same one, so that a function reads the same
// wherever it was found: `write`, not `__GI___libc_write`.
#pragma once

#include <string_view>

namespace profile {

// Whether `name` says it better than `other`, all else being equal: not "__GI_", the fewest leading underscores, the
// shortest, the first by bytes. A strict order.
[[nodiscard]] bool better_alias(std::string_view name, std::string_view other);

}  // namespace profile
