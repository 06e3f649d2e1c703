// Lays out the screen of --top as lines of text, for any size of the terminal. screen.h draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "terminal/model.h"

namespace profile {

// The meaning of a text. The screen decides how it looks.
enum class TopStyle : std::uint8_t { plain, strong, heading, chosen, alert, kernel, jit, warm, hot };

struct TopSpan {
  std::string text;
  TopStyle style = TopStyle::plain;
};
struct TopLine {
  std::vector<TopSpan> spans;
  bool is_selected = false;
};

// The lines are safe for a terminal: at most `width` columns and at most `height` lines, which are both at least 1.
// `unicode`: the terminal can show more than ASCII.
[[nodiscard]] std::vector<TopLine> top_page(TopModel& model, const RunInfo& run, std::size_t width, std::size_t height,
                                            bool unicode);
// The current table of --top, at most `height` lines: a heading if `height` is 2 or more, and the visible rows.
[[nodiscard]] std::vector<TopLine> top_table_lines(TopModel& model, const RunInfo& run, std::size_t width,
                                                   std::size_t height, bool unicode);

}  // namespace profile
