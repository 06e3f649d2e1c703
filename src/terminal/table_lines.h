// Formats the current table of --top as lines of text: a heading and the visible rows.
#pragma once

#include <cstddef>
#include <vector>

#include "terminal/page.h"

namespace profile {

// At most `height` lines. If `height` is 2 or more, the first one is the heading.
[[nodiscard]] std::vector<TopLine> top_table_lines(TopModel& model, const RunInfo& run, std::size_t width,
                                                   std::size_t height, bool unicode);

}  // namespace profile
