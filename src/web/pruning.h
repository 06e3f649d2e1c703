// The state of the live view's history, and how it is made smaller: stacks that were seen little and long ago become
// part of what called them, and processes and threads like that become one of each name. Nothing is lost of the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "output/flame/table.h"

namespace profile {

// What was sampled from one call of LiveView::add() to the next.
struct LiveTick {
  std::uint64_t end_unix_ms = 0;
  double duration_s = 0;
  std::vector<FlameTable::Cell> cells;
};

struct LiveState {
  FlameTable table{UnknownRuns::folded};
  std::vector<FlameTable::Cell> total;                     // since the start; each pair of owner and node once
  std::unordered_map<std::uint64_t, std::size_t> cell_of;  // where it stands in `total`; key: owner << 32 | node
  std::deque<LiveTick> ticks;                              // the latest; the sum of them is a part of the total
  std::size_t text_bytes = 0;                              // of the table's strings

  void add_to_total(const FlameTable::Cell& cell);
  // To be called when the table has grown: its strings from the one numbered `from` on are new.
  void count_texts(std::size_t from);
};

// What is kept: all that is in the last `ticks` ticks, and what has at least `least` of the total, its callees
// included.
struct LiveKeep {
  std::size_t ticks = 0;
  std::uint64_t least = 0;
  // Names of folded owners that are told apart, in the order of the owners; the others are "[earlier]".
  std::size_t names = 0;
  // More than this is not worth the trouble.
  std::size_t most_nodes = 0;
  std::size_t most_owners = 0;
};
// None when too much would be kept.
[[nodiscard]] std::optional<LiveState> pruned(const LiveState& state, const LiveKeep& keep);

}  // namespace profile
