// The stacks of a run for the views that are shown while it lasts: the latest ticks one by one, and the sum since the
// start. Its memory has a limit however long the run lasts: beyond it, nodes that are small and not recent are folded
// into their callers, and processes and threads into one owner per process name. All sums stay the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "output/flame/table.h"

namespace profile {

class FlameHistory {
 public:
  using Cell = FlameTable::Cell;

  // The thread name of owners that stand for several threads. The process name is the same when a run had too many of
  // these, too.
  static constexpr std::string_view earlier = "[earlier]";

  struct Limits {
    double window_s = 300;                 // the ticks of this time are kept
    double tick_s = 0;                     // profiles that last this long together form one tick; 0: each forms one
    std::size_t window_cells = 2'000'000;  // the window is shorter when its ticks have more cells
    // When one of these limits is exceeded, the state is folded until it needs at most half of each.
    std::size_t nodes = 400'000;
    std::size_t text_bytes = std::size_t{64} << 20;
    std::size_t owners = 25'000;
    std::size_t cells = 100'000;  // of the total
  };
  struct Tick {
    std::uint64_t end_ns = 0;  // by CLOCK_MONOTONIC
    double duration_s = 0;
    std::uint64_t value = 0;    // in the unit of the run
    std::uint64_t samples = 0;  // recorded ones
    std::vector<Cell> cells;    // a pair of owner and node is there once per profile
  };

  FlameHistory(UnknownRuns runs, const Limits& limits) : limits_(limits), state_(runs) {}

  // Adds a tick. If profiles are states (RunInfo::is_state), it takes the place of all before it.
  // False: the state was folded, so all indices in table() are new ones.
  [[nodiscard]] bool add(const Profile& profile);
  // A text of the caller's in table(), until the state is folded.
  StringId intern(std::string_view clean_text) { return state_.table.intern(clean_text); }

  [[nodiscard]] const FlameTable& table() const { return state_.table; }
  [[nodiscard]] const std::vector<Cell>& total() const { return state_.total.cells(); }
  [[nodiscard]] const std::deque<Tick>& ticks() const { return state_.ticks; }
  [[nodiscard]] std::size_t text_bytes() const { return state_.text_bytes; }
  // How many nodes were folded since the start.
  [[nodiscard]] std::uint64_t folded_nodes() const { return folded_nodes_; }

 private:
  class Pruning;
  struct State {
    explicit State(UnknownRuns runs) : table(runs) {}

    FlameTable table;
    FlameSums total;             // since the start
    std::deque<Tick> ticks;      // the oldest first; `total` includes them
    std::size_t text_bytes = 0;  // memory of the table's strings

    // Call this when the table has grown: its strings from index `from` on are new.
    void count_texts(std::size_t from);
  };

  void forget_old_ticks();
  // Whether `state` needs at most 1/`parts` of each limit.
  [[nodiscard]] bool fits(const State& state, std::size_t parts) const;
  void fold();

  Limits limits_;
  State state_;
  std::size_t window_cells_ = 0;
  std::uint64_t folded_nodes_ = 0;
};

}  // namespace profile
