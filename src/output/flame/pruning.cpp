#include "output/flame/pruning.h"

#include <algorithm>
#include <unordered_set>

namespace profile {
namespace {

using Cell = FlameTable::Cell;
using Index = FlameTable::Index;

constexpr auto none = FlameTable::none;
// The memory of a string besides its bytes: its entries in the table and in the index.
constexpr std::size_t bytes_per_text = 96;

class Pruning {
 public:
  Pruning(const FlameHistory::State& from, const FlameKeep& keep)
      : from_(from),
        keep_(keep),
        first_tick_(from.ticks.size() - std::min(keep.ticks, from.ticks.size())),
        to_(from.table.unknown_runs()) {}

  std::optional<FlameHistory::State> state() {
    weigh();
    const auto kept = [](const std::vector<std::uint64_t>& all) {
      return static_cast<std::size_t>(all.size()) - static_cast<std::size_t>(std::ranges::count(all, 0U));
    };
    if (kept(node_total_) > keep_.most_nodes || kept(owner_total_) > keep_.most_owners) return std::nullopt;
    fold_nodes();
    fold_owners();
    for (const Cell& cell : from_.total) to_.add_to_total(moved(cell));
    for (std::size_t i = first_tick_; i < from_.ticks.size(); ++i) {
      FlameHistory::Tick tick = from_.ticks[i];
      for (Cell& cell : tick.cells) cell = moved(cell);
      to_.ticks.push_back(std::move(tick));
    }
    to_.count_texts(0);
    return std::move(to_);
  }

 private:
  // Adds up the value of each node and owner, then marks those that are kept: the recent ones and the large ones.
  void weigh() {
    const auto& nodes = from_.table.nodes();
    node_total_.resize(nodes.size());
    owner_total_.resize(from_.table.owners().size());
    std::vector<char> node_is_recent(nodes.size());
    std::vector<char> owner_is_recent(owner_total_.size());
    for (const Cell& cell : from_.total) {
      owner_total_[cell.owner] += cell.value;
      if (cell.node != none) node_total_[cell.node] += cell.value;
    }
    for (std::size_t i = first_tick_; i < from_.ticks.size(); ++i) {
      for (const Cell& cell : from_.ticks[i].cells) {
        owner_is_recent[cell.owner] = 1;
        if (cell.node != none) node_is_recent[cell.node] = 1;
      }
    }
    // Parents have lower indices than their children.
    for (std::size_t i = nodes.size(); i-- > 0;) {
      const Index parent = nodes[i].parent;
      if (parent == none) continue;
      node_total_[parent] += node_total_[i];
      if (node_is_recent[i] != 0) node_is_recent[parent] = 1;
    }
    const auto mark = [this](std::vector<std::uint64_t>& totals, const std::vector<char>& is_recent) {
      for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = is_recent[i] != 0 || totals[i] >= keep_.least ? 1 : 0;
    };
    mark(node_total_, node_is_recent);
    mark(owner_total_, owner_is_recent);
  }

  void fold_nodes() {
    const auto& nodes = from_.table.nodes();
    std::vector<Index> frames(from_.table.frames().size(), none);
    nodes_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Index parent = nodes[i].parent == none ? none : nodes_[nodes[i].parent];
      if (node_total_[i] == 0) {
        nodes_[i] = parent;
        continue;
      }
      Index& frame = frames[nodes[i].frame];
      if (frame == none) frame = to_.table.copy_frame(from_.table, nodes[i].frame);
      nodes_[i] = to_.table.child(parent, frame);
    }
  }

  void fold_owners() {
    const StringId of_others = to_.table.intern(FlameHistory::earlier);
    std::unordered_set<StringId> names;
    for (std::size_t i = 0; i < owner_total_.size(); ++i) {
      if (owner_total_[i] != 0) {
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
    return {.owner = owners_[cell.owner], .node = cell.node == none ? none : nodes_[cell.node], .value = cell.value};
  }

  const FlameHistory::State& from_;
  FlameKeep keep_;
  std::size_t first_tick_;
  FlameHistory::State to_;
  std::vector<std::uint64_t> node_total_;   // after weigh(): 1 if the node is kept, else 0
  std::vector<std::uint64_t> owner_total_;  // after weigh(): 1 if the owner is kept, else 0
  std::vector<Index> nodes_;                // new index by old index
  std::vector<Index> owners_;               // new index by old index
};

}  // namespace

void FlameHistory::State::add_to_total(const Cell& cell) {
  const std::uint64_t key = std::uint64_t{cell.owner} << 32 | cell.node;
  const auto [place, is_new] = cell_of.try_emplace(key, total.size());
  if (is_new) {
    total.push_back(cell);
  } else {
    total[place->second].value += cell.value;
  }
}

void FlameHistory::State::count_texts(std::size_t from) {
  for (std::size_t i = from; i < table.strings().size(); ++i) {
    text_bytes += table.strings().view(static_cast<StringId>(i)).size() + bytes_per_text;
  }
}

std::optional<FlameHistory::State> pruned(const FlameHistory::State& state, const FlameKeep& keep) {
  return Pruning(state, keep).state();
}

}  // namespace profile
