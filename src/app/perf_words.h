// Accepts words that users of perf type out of habit.
#pragma once

#include <string>
#include <vector>

namespace profile {

// perf's -g asks for stacks, but here stacks are always taken and -g has a PATTERN. Removes each -g from `words` that
// has no PATTERN after it, alone or among other letters as in "-ag". Returns whether there was such a -g.
[[nodiscard]] bool take_out_perf_graph(std::vector<std::string>& words);

}  // namespace profile
