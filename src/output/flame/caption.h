// What stands above a flame graph, and in the tooltips of its boxes.
#pragma once

#include <string>

#include "output/flame/graph.h"
#include "output/flame/view.h"

namespace profile {

// Lines of clean text.
struct FlameCaption {
  std::string title;    // what was measured
  std::string totals;   // how much that was, and the account of the run
  std::string command;  // line of the profiler; empty when not known
};

[[nodiscard]] FlameCaption caption_of(const FlameView& view, const FlameGraph& graph);
// Several lines: the whole name, its value and share, where it is, and how its share has changed.
[[nodiscard]] std::string tooltip_of(const FlameView& view, const FlameGraph& graph, const FlameBox& box);

// "4,700,000"
[[nodiscard]] std::string grouped(std::uint64_t number);
// "12.3 %", "1.23 %"; what is not nothing is never shown as such: "<0.01 %".
[[nodiscard]] std::string share_of(std::uint64_t part, std::uint64_t whole);

}  // namespace profile
