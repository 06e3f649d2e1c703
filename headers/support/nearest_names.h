// What somebody may have meant who typed a name that there is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profile {

// Those of `names` most like `typed`, the nearest first, at most five, each once; empty only when `names` is.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view typed, std::vector<std::string> names);
// "the nearest: sched, xdp", with `before` in front; "" when there is none.
[[nodiscard]] std::string told_nearest(std::string_view before, const std::vector<std::string>& nearest);

}  // namespace profile
