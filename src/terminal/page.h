// The screen of --top as lines of text: what stands where at which size of the terminal. Drawn by screen.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "terminal/model.h"

namespace profile {

// What a text is; how that looks is the screen's matter.
enum class TopStyle : std::uint8_t { plain, strong, heading, chosen, alert, kernel, jit, warm, hot };

struct TopSpan {
  std::string text;
  TopStyle style = TopStyle::plain;
};
struct TopLine {
  std::vector<TopSpan> spans;
  bool is_selected = false;
};

// Safe for a terminal and never wider than `width` or more than `height` lines; both are at least 1. `unicode`: whether
// more than ASCII can be shown.
[[nodiscard]] std::vector<TopLine> top_page(TopModel& model, const RunInfo& run, std::size_t width, std::size_t height,
                                            bool unicode);

}  // namespace profile
