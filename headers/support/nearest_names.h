// Suggestions for a name that a user typed and that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profile {

// At most five of `names`, without duplicates, the most similar to `typed` first. Empty only when `names` is empty.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view typed, std::vector<std::string> names);
// `before` and then "the nearest: sched, xdp"; "" when `nearest` is empty.
[[nodiscard]] std::string suggestion(std::string_view before, const std::vector<std::string>& nearest);

}  // namespace profile
