// The table of --top, whichever is looked at, as lines of text: a heading and the rows that are seen.
#pragma once

#include <cstddef>
#include <vector>

#include "terminal/page.h"

namespace profile {

// `height` lines at most, of which one is the heading when there are two.
[[nodiscard]] std::vector<TopLine> top_table_lines(TopModel& model, const RunInfo& run, std::size_t width,
                                                   std::size_t height, bool unicode);

}  // namespace profile
