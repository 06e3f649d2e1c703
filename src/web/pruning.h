// The state of the live view's history, and the function that makes it smaller. Nodes that are small and not recent are
// folded into their callers, and such processes and threads into one owner per process name. All sums stay the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "output/flame/table.h"

namespace profile {

// The samples of one call of LiveView::add().
struct LiveTick {
  std::uint64_t end_unix_ms = 0;
  double duration_s = 0;
  std::vector<FlameTable::Cell> cells;
};

struct LiveState {
  FlameTable table{UnknownRuns::folded};
  std::vector<FlameTable::Cell> total;                     // since the start; each pair of owner and node once
  std::unordered_map<std::uint64_t, std::size_t> cell_of;  // index in `total`; key: owner << 32 | node
  std::deque<LiveTick> ticks;                              // the latest ticks; `total` includes them
  std::size_t text_bytes = 0;                              // memory of the table's strings

  void add_to_total(const FlameTable::Cell& cell);
  // Call this when the table has grown: its strings from index `from` on are new.
  void count_texts(std::size_t from);
};

// What is kept: all nodes and owners of the last `ticks` ticks, and those with a value of at least `least` in the
// total, callees included.
struct LiveKeep {
  std::size_t ticks = 0;
  std::uint64_t least = 0;
  // The number of process names that stay separate among folded owners, in the order of the owners. The other names
  // become "[earlier]".
  std::size_t names = 0;
  // If more nodes or owners would be kept, folding is not worth it.
  std::size_t most_nodes = 0;
  std::size_t most_owners = 0;
};
// nullopt when too much would be kept.
[[nodiscard]] std::optional<LiveState> pruned(const LiveState& state, const LiveKeep& keep);

}  // namespace profile
