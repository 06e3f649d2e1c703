#include "live/history.h"

#include <malloc.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "support/clock.h"

namespace profile {
namespace {

// Stacks and owners below this share of the total are folded first. If that is not enough, the share grows tenfold each
// time, and from `large_share` on also the oldest ticks are dropped.
constexpr double small_share = 1e-5;
constexpr double large_share = 1e-2;
// The memory of a string besides its bytes: its entries in the table and in the index.
constexpr std::size_t bytes_per_text = 96;

using Index = FlameTable::Index;

}  // namespace

// Makes a smaller state.
class FlameHistory::Pruning {
 public:
  // What is kept: all nodes and owners of the last `ticks` ticks, and those with a value of at least `least` in the
  // total, callees included.
  struct Keep {
    std::size_t ticks = 0;
    std::uint64_t least = 0;
    // The number of process names that stay separate among folded owners, in the order of the owners. The other names
    // become FlameHistory::earlier.
    std::size_t names = 0;
    // If more nodes or owners would be kept, folding is not worth it.
    std::size_t most_nodes = 0;
    std::size_t most_owners = 0;
  };

  Pruning(const State& from, const Keep& keep)
      : from_(from),
        keep_(keep),
        first_tick_(from.ticks.size() - std::min(keep.ticks, from.ticks.size())),
        to_(from.table.unknown_runs()) {}

  // nullopt when too much would be kept.
  std::optional<State> state() {
    weigh();
    const auto kept = [this](const std::vector<std::uint64_t>& totals) {
      return static_cast<std::size_t>(std::ranges::count_if(totals, [this](auto total) { return is_kept(total); }));
    };
    if (kept(node_total_) > keep_.most_nodes || kept(owner_total_) > keep_.most_owners) return std::nullopt;
    fold_nodes();
    fold_owners();
    for (const Cell& cell : from_.total.cells()) to_.total.add(moved(cell));
    for (std::size_t i = first_tick_; i < from_.ticks.size(); ++i) {
      Tick tick = from_.ticks[i];
      for (Cell& cell : tick.cells) cell = moved(cell);
      to_.ticks.push_back(std::move(tick));
    }
    to_.count_texts(0);
    return std::move(to_);
  }

 private:
  [[nodiscard]] bool is_kept(std::uint64_t total) const { return total >= keep_.least; }

  // Adds up the value of each node and owner, then makes the recent ones large enough to be kept.
  void weigh() {
    const auto& nodes = from_.table.nodes();
    node_total_.resize(nodes.size());
    owner_total_.resize(from_.table.owners().size());
    for (const Cell& cell : from_.total.cells()) {
      owner_total_[cell.owner] += cell.value;
      if (cell.node != FlameTable::none) node_total_[cell.node] += cell.value;
    }
    // Parents have lower indices than their children.
    for (std::size_t i = nodes.size(); i-- > 0;) {
      if (nodes[i].parent != FlameTable::none) node_total_[nodes[i].parent] += node_total_[i];
    }
    for (std::size_t i = first_tick_; i < from_.ticks.size(); ++i) {
      for (const Cell& cell : from_.ticks[i].cells) {
        owner_total_[cell.owner] = std::max(owner_total_[cell.owner], keep_.least);
        // A caller of a kept node is kept already.
        for (Index at = cell.node; at != FlameTable::none && !is_kept(node_total_[at]); at = nodes[at].parent) {
          node_total_[at] = keep_.least;
        }
      }
    }
  }

  void fold_nodes() {
    const auto& nodes = from_.table.nodes();
    std::vector<Index> frames(from_.table.frames().size(), FlameTable::none);
    nodes_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Index parent = nodes[i].parent == FlameTable::none ? FlameTable::none : nodes_[nodes[i].parent];
      if (!is_kept(node_total_[i])) {
        nodes_[i] = parent;
        continue;
      }
      Index& frame = frames[nodes[i].frame];
      if (frame == FlameTable::none) frame = to_.table.copy_frame(from_.table, nodes[i].frame);
      nodes_[i] = to_.table.child(parent, frame);
    }
  }

  void fold_owners() {
    const StringId of_others = to_.table.intern(earlier);
    std::unordered_set<StringId> names;
    for (std::size_t i = 0; i < owner_total_.size(); ++i) {
      if (is_kept(owner_total_[i])) {
        owners_.push_back(to_.table.copy_owner(from_.table, static_cast<Index>(i)));
        continue;
      }
      const StringId process = from_.table.owners()[i].process;
      const bool is_named = names.size() < keep_.names || names.contains(process);
      if (is_named) names.insert(process);
      owners_.push_back(to_.table.intern_owner(
          {.process = is_named ? to_.table.copy_text(from_.table, process) : of_others, .thread = of_others}));
    }
  }

  [[nodiscard]] Cell moved(const Cell& cell) const {
    return {.owner = owners_[cell.owner],
            .node = cell.node == FlameTable::none ? FlameTable::none : nodes_[cell.node],
            .value = cell.value};
  }

  const State& from_;
  Keep keep_;
  std::size_t first_tick_;
  State to_;
  std::vector<std::uint64_t> node_total_;   // with callees; at least Keep::least if the node is recent
  std::vector<std::uint64_t> owner_total_;  // at least Keep::least if the owner is recent
  std::vector<Index> nodes_;                // new index by old index
  std::vector<Index> owners_;               // new index by old index
};

void FlameHistory::State::count_texts(std::size_t from) {
  for (std::size_t i = from; i < table.strings().size(); ++i) {
    text_bytes += table.strings().view(static_cast<StringId>(i)).size() + bytes_per_text;
  }
}

bool FlameHistory::add(const Profile& profile) {
  const std::size_t strings = state_.table.strings().size();
  const std::vector<Cell> cells = state_.table.add(profile);
  if (profile.run.is_state) {
    state_.total = FlameSums();
    state_.ticks.clear();
    window_cells_ = 0;
  }
  const double duration_s = to_seconds(profile.duration_ns);
  auto& ticks = state_.ticks;
  const bool is_part = !ticks.empty() && limits_.tick_s > 0 && ticks.back().duration_s + duration_s <= limits_.tick_s;
  if (!is_part) ticks.emplace_back();
  Tick& tick = ticks.back();
  tick.end_ns = profile.began_ns + profile.duration_ns;
  tick.duration_s += duration_s;
  tick.samples += profile.account.recorded;
  for (const Cell& cell : cells) {
    tick.value += cell.value;
    state_.total.add(cell);
  }
  tick.cells.insert(tick.cells.end(), cells.begin(), cells.end());
  window_cells_ += cells.size();
  state_.count_texts(strings);
  forget_old_ticks();
  if (fits(state_, 1)) return true;
  fold();
  return false;
}

void FlameHistory::forget_old_ticks() {
  auto& ticks = state_.ticks;
  const auto is_too_old = [&](const Tick& tick) {
    const std::uint64_t end_ns = ticks.back().end_ns;
    const double age_s = end_ns > tick.end_ns ? to_seconds(end_ns - tick.end_ns) : 0;
    return age_s >= limits_.window_s || window_cells_ > limits_.window_cells;
  };
  while (ticks.size() > 1 && is_too_old(ticks.front())) {
    window_cells_ -= ticks.front().cells.size();
    ticks.pop_front();
  }
}

bool FlameHistory::fits(const State& state, std::size_t parts) const {
  return state.table.nodes().size() <= limits_.nodes / parts && state.text_bytes <= limits_.text_bytes / parts &&
         state.table.owners().size() <= limits_.owners / parts && state.total.cells().size() <= limits_.cells / parts;
}

void FlameHistory::fold() {
  std::uint64_t total = 0;
  for (const Cell& cell : state_.total.cells()) total += cell.value;
  const std::size_t nodes = state_.table.nodes().size();
  Pruning::Keep keep{.ticks = state_.ticks.size(),
                     .names = limits_.owners / 8,
                     .most_nodes = limits_.nodes / 2,
                     .most_owners = limits_.owners / 4};
  for (double share = small_share;;) {
    keep.least = static_cast<std::uint64_t>(share * static_cast<double>(total)) + 1;
    std::optional<State> next = Pruning(state_, keep).state();
    // Without ticks and with a share above 1, only the names of owners are left, and these are few.
    const bool is_least = keep.ticks == 0 && share > 1;
    if (next && (is_least || fits(*next, 2))) {
      state_ = std::move(*next);
      break;
    }
    if (share < large_share || keep.ticks == 0) {
      share *= 10;
    } else {
      keep.ticks /= 2;
    }
  }
  folded_nodes_ += nodes - state_.table.nodes().size();
  window_cells_ = 0;
  for (const Tick& tick : state_.ticks) window_cells_ += tick.cells.size();
  ::malloc_trim(0);  // return the freed pieces to the system; they are not needed again for a long time
}

}  // namespace profile
