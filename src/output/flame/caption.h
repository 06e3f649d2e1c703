// Texts above a flame graph and in the tooltips of its boxes.
#pragma once

#include <string>

#include "output/flame/graph.h"
#include "output/flame/view.h"

namespace profile {

// Lines of clean text, without newlines.
struct FlameCaption {
  std::string title;    // what was measured
  std::string totals;   // the total value and the account of the run
  std::string command;  // command line of the profiler; empty when not known
};

[[nodiscard]] FlameCaption caption_of(const FlameView& view, const FlameGraph& graph);
// Several lines: the whole name; value and share; module and source line; in a comparison the change of the share.
[[nodiscard]] std::string tooltip_of(const FlameView& view, const FlameGraph& graph, const FlameBox& box);

// "4,700,000"
[[nodiscard]] std::string grouped(std::uint64_t number);
// "12.3 %", "1.23 %". A share above 0 never reads as 0: "<0.01 %".
[[nodiscard]] std::string share_of(std::uint64_t part, std::uint64_t whole);

}  // namespace profile
