// What people type whose fingers know perf.
#pragma once

#include <string>
#include <vector>

namespace profile {

// perf's -g asks for stacks, which are always taken here: takes it out of `words` where no PATTERN stands behind it,
// alone or among other letters as in "-ag". Whether there was one.
[[nodiscard]] bool take_out_perf_graph(std::vector<std::string>& words);

}  // namespace profile
