// Compares texts only once, to rank frames and processes; after that it uses numbers. All processes of the table share
// one tree of stacks, so each process takes the part of the tree that it has values for.
#include "output/flame/graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace profile {
namespace {

using Index = FlameTable::Index;
constexpr Index none = FlameTable::none;

// The value of one stack of one process in both profiles.
struct Weight {
  Index process = 0;  // rank of the process
  Index node = none;
  std::uint64_t now = 0;
  std::uint64_t before = 0;
};

// Adds without overflow, because profiles from files may hold any values.
void add_to(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

// The numbers below `count` in the order of their keys.
template <class KeyOf>
std::vector<Index> in_order(std::size_t count, const KeyOf& key_of) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, key_of);
  return order;
}

// The rank of each frame in the order of their texts.
std::vector<Index> frames_by_text(const FlameTable& table) {
  const std::vector<Index> order = in_order(table.frames().size(), [&table](Index i) {
    const FlameTable::Frame& frame = table.frames()[i];
    const StringTable& strings = table.strings();
    return std::make_tuple(strings.view(frame.name), strings.view(frame.module), strings.view(frame.file), frame.line,
                           frame.kind);
  });
  std::vector<Index> rank(order.size());
  for (Index i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

// Groups the owners of cells by process.
class Processes {
 public:
  Processes(const FlameTable& table, bool by_name_only) : of_(table.owners().size()) {
    const auto process_of = [&](Index i) {
      const FlameTable::Owner& owner = table.owners()[i];
      return std::make_tuple(table.strings().view(owner.process), by_name_only ? 0 : owner.tgid);
    };
    for (const Index owner : in_order(of_.size(), process_of)) {
      if (owners_.empty() || process_of(owners_.back()) != process_of(owner)) owners_.push_back(owner);
      of_[owner] = static_cast<Index>(owners_.size() - 1);
    }
  }

  [[nodiscard]] Index of(Index owner) const { return of_[owner]; }
  [[nodiscard]] Index owner(Index process) const { return owners_[process]; }

 private:
  std::vector<Index> of_;      // by owner: rank of its process
  std::vector<Index> owners_;  // by rank: first owner of the process
};

std::vector<Weight> weights_of(const Processes& processes, std::span<const FlameTable::Cell> cells,
                               std::span<const FlameTable::Cell> before) {
  std::vector<Weight> weights;
  weights.reserve(cells.size() + before.size());
  for (const FlameTable::Cell& cell : cells) {
    weights.push_back({.process = processes.of(cell.owner), .node = cell.node, .now = cell.value});
  }
  for (const FlameTable::Cell& cell : before) {
    weights.push_back({.process = processes.of(cell.owner), .node = cell.node, .before = cell.value});
  }
  std::sort(weights.begin(), weights.end(), [](const Weight& a, const Weight& b) { return a.process < b.process; });
  return weights;
}

}  // namespace

// Makes the boxes, process by process.
class FlameGraph::Walk {
 public:
  Walk(FlameGraph& graph, const FlameTable& table, const FlameChanges* changes)
      : graph_(graph),
        table_(table),
        changes_(changes),
        places_(table.depth_first(frames_by_text(table))),
        item_of_(table.nodes().size(), none) {}

  // `weights` are all weights of the process of `owner`. Returns the box of the process.
  FlameBox process(Index owner, std::span<const Weight> weights) {
    gather(weights);
    items_.front().box.owner = owner;
    if (changes_ != nullptr) take_changes(table_.owners()[owner].process);
    sum(weights);
    place_all();
    for (const Index node : nodes_) item_of_[node] = none;
    return items_.front().box;
  }

 private:
  // A node of the tree, for the current process, with its box. The first item is the process itself.
  struct Item {
    FlameBox box;
    Index parent = 0;
    std::uint64_t next = 0;  // where its next child begins
  };

  // Collects the nodes between the root and each weight, in the order of the boxes.
  void gather(std::span<const Weight> weights) {
    nodes_.clear();
    for (const Weight& weight : weights) {
      for (Index node = weight.node; node != none && item_of_[node] == none; node = table_.nodes()[node].parent) {
        item_of_[node] = 0;
        nodes_.push_back(node);
      }
    }
    std::ranges::sort(nodes_, {}, [this](Index node) { return places_[node]; });
    items_.assign(1, Item{});
    for (const Index node : nodes_) {
      const FlameTable::Node& at = table_.nodes()[node];
      item_of_[node] = static_cast<Index>(items_.size());
      items_.push_back({.box = {.frame = at.frame}, .parent = at.parent == none ? 0 : item_of_[at.parent]});
    }
  }

  void take_changes(StringId process) {
    items_.front().box.change = changes_->box(process, none);
    for (std::size_t i = 0; i < nodes_.size(); ++i) items_[i + 1].box.change = changes_->box(process, nodes_[i]);
  }

  void sum(std::span<const Weight> weights) {
    for (const Weight& weight : weights) {
      FlameBox& box = items_[weight.node == none ? 0 : item_of_[weight.node]].box;
      add_to(box.self, weight.now);
      add_to(box.total, weight.now);
      add_to(box.before, weight.before);
    }
    for (std::size_t i = items_.size(); i-- > 1;) {
      FlameBox& parent = items_[items_[i].parent].box;
      add_to(parent.total, items_[i].box.total);
      add_to(parent.before, items_[i].box.before);
    }
  }

  void place_all() {
    place(items_.front(), 1, graph_.boxes_.front().total, std::numeric_limits<std::uint64_t>::max());
    for (Item& item : std::span(items_).subspan(1)) {
      Item& parent = items_[item.parent];
      if (parent.box.depth == 0) continue;  // left out, with all that is on it
      place(item, parent.box.depth + 1, parent.next, parent.box.start + parent.box.total);
      parent.next += item.box.total;
    }
  }

  // Puts the box into the graph, from `start` to `limit` at most. Leaves it out if only the earlier profile has it.
  void place(Item& item, std::uint32_t depth, std::uint64_t start, std::uint64_t limit) {
    FlameBox& box = item.box;
    if (box.total == 0) return add_to(graph_.only_before_, box.before);
    box.depth = depth;
    box.start = item.next = start;
    box.total = std::min(box.total, limit - start);  // smaller only if sums reached the limit
    graph_.depth_ = std::max(graph_.depth_, depth);
    graph_.boxes_.push_back(box);
  }

  FlameGraph& graph_;
  const FlameTable& table_;
  const FlameChanges* changes_;
  std::vector<Index> places_;   // by node: its place among all boxes
  std::vector<Index> item_of_;  // by node, for the current process; `none` between processes
  std::vector<Item> items_;     // in the order of the boxes
  std::vector<Index> nodes_;    // same order as items_, without the first item
};

FlameGraph::FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells,
                       std::span<const FlameTable::Cell> before, bool is_comparison, const FlameChanges* changes)
    : table_(table), boxes_(1), is_comparison_(is_comparison) {
  const Processes processes(table, is_comparison);
  const std::vector<Weight> weights = weights_of(processes, cells, before);
  Walk walk(*this, table, changes);
  for (std::size_t begin = 0, end = 0; begin < weights.size(); begin = end) {
    while (end < weights.size() && weights[end].process == weights[begin].process) ++end;
    const FlameBox process =
        walk.process(processes.owner(weights[begin].process), std::span(weights).subspan(begin, end - begin));
    add_to(boxes_.front().total, process.total);
    add_to(boxes_.front().before, process.before);
  }
}

std::string FlameGraph::name_of(const FlameBox& box) const {
  if (box.frame != none) return std::string(table_.strings().view(table_.frames()[box.frame].name));
  if (box.owner == none) return "all";
  const FlameTable::Owner& owner = table_.owners()[box.owner];
  std::string name(table_.strings().view(owner.process));
  if (!is_comparison_ && owner.tgid != 0) name += " (" + std::to_string(owner.tgid) + ")";
  return name;
}

FlameKind FlameGraph::kind_of(const FlameBox& box) const {
  return box.frame == none ? FlameKind::owner : table_.frames()[box.frame].kind;
}

}  // namespace profile
