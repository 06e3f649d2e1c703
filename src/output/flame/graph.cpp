// Compares texts only once, to rank frames and processes; after that it uses numbers. All processes of the table share
// one tree of stacks, so each process takes the part of the tree that it has values for.
#include "output/flame/graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

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
  sum =
      value > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max() : sum + value;
}

// Returns the rank of each of `count` items in the order of `less`.
template <class Less>
std::vector<Index> ranks(std::size_t count, const Less& less) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), less);
  std::vector<Index> rank(count);
  for (Index i = 0; i < count; ++i) rank[order[i]] = i;
  return rank;
}

std::vector<Index> frames_by_text(const FlameTable& table) {
  const auto text = [&table](Index i) {
    const FlameTable::Frame& frame = table.frames()[i];
    const StringTable& strings = table.strings();
    return std::make_tuple(strings.view(frame.name), strings.view(frame.module), strings.view(frame.file), frame.line,
                           frame.kind);
  };
  return ranks(table.frames().size(), [&text](Index a, Index b) { return text(a) < text(b); });
}

// Groups the owners of cells by process.
class Processes {
 public:
  Processes(const FlameTable& table, bool by_name_only) : of_(table.owners().size()) {
    std::unordered_map<std::uint64_t, Index> ids;
    std::vector<Index> first;
    for (Index i = 0; i < table.owners().size(); ++i) {
      const FlameTable::Owner& owner = table.owners()[i];
      const std::uint64_t number = by_name_only ? 0 : owner.tgid;
      const auto [found, is_new] =
          ids.try_emplace(std::uint64_t{static_cast<std::uint32_t>(owner.process)} << 32 | number, first.size());
      if (is_new) first.push_back(i);
      of_[i] = found->second;
    }
    const auto text = [&](Index process) {
      const FlameTable::Owner& owner = table.owners()[first[process]];
      return std::make_tuple(table.strings().view(owner.process), owner.tgid);
    };
    const std::vector<Index> rank = ranks(first.size(), [&text](Index a, Index b) { return text(a) < text(b); });
    owners_.resize(first.size());
    for (Index process = 0; process < first.size(); ++process) owners_[rank[process]] = first[process];
    for (Index& process : of_) process = rank[process];
  }

  [[nodiscard]] std::size_t size() const { return owners_.size(); }
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
  Walk(FlameGraph& graph, const FlameTable& table)
      : graph_(graph), table_(table), rank_(frames_by_text(table)), item_of_(table.nodes().size(), none) {}

  // `weights` are all weights of the process of `owner`. Returns the box of the process.
  FlameBox process(Index owner, std::span<const Weight> weights) {
    gather(weights);
    sum(weights);
    order_children();
    FlameBox box{.owner = owner, .depth = 1, .start = graph_.boxes_.front().total};
    take_sums(box, items_.front());
    if (box.total == 0) {
      add_to(graph_.only_before_, box.before);
    } else {
      place(box);
    }
    for (const Index node : nodes_) item_of_[node] = none;
    return box;
  }

 private:
  // A node of the tree, for the current process, that becomes a box. The first item is the process itself.
  struct Item {
    Index frame = none;
    Index parent = 0;
    Index first_child = 0;  // in children_
    Index end_child = 0;
    std::uint64_t total = 0;
    std::uint64_t self = 0;
    std::uint64_t before = 0;
  };
  // The children of one box that are not placed yet.
  struct Level {
    Index next = 0;
    Index end = 0;
    std::uint64_t start = 0;
    std::uint64_t limit = 0;
  };

  // Collects the nodes between the root and each weight, parents before children.
  void gather(std::span<const Weight> weights) {
    nodes_.clear();
    for (const Weight& weight : weights) {
      for (Index node = weight.node; node != none && item_of_[node] == none; node = table_.nodes()[node].parent) {
        item_of_[node] = 0;
        nodes_.push_back(node);
      }
    }
    std::sort(nodes_.begin(), nodes_.end());
    items_.assign(nodes_.size() + 1, Item{});
    for (Index i = 1; i < items_.size(); ++i) {
      const Index node = nodes_[i - 1];
      const Index parent = table_.nodes()[node].parent;
      item_of_[node] = i;
      items_[i].frame = table_.nodes()[node].frame;
      items_[i].parent = parent == none ? 0 : item_of_[parent];
    }
  }

  void sum(std::span<const Weight> weights) {
    for (const Weight& weight : weights) {
      Item& item = items_[weight.node == none ? 0 : item_of_[weight.node]];
      add_to(item.self, weight.now);
      add_to(item.before, weight.before);
    }
    for (std::size_t i = items_.size(); i-- > 0;) {
      add_to(items_[i].total, items_[i].self);
      if (i == 0) break;
      Item& parent = items_[items_[i].parent];
      add_to(parent.total, items_[i].total);
      add_to(parent.before, items_[i].before);
    }
  }

  // Most items have one child. Grouping by parent with a counting sort, then sorting each group, is faster than one
  // sort of all.
  void order_children() {
    for (std::size_t i = 1; i < items_.size(); ++i) ++items_[items_[i].parent].end_child;
    Index end = 0;
    for (Item& item : items_) end = item.end_child += end;
    children_.resize(end);
    // first_child starts at the end of its range and moves down to its beginning while the children are stored.
    for (Item& item : items_) item.first_child = item.end_child;
    for (Index i = static_cast<Index>(items_.size()); i-- > 1;) children_[--items_[items_[i].parent].first_child] = i;
    const auto by_text = [this](Index a, Index b) { return rank_[items_[a].frame] < rank_[items_[b].frame]; };
    for (const Item& item : items_) {
      if (item.end_child - item.first_child > 1) {
        std::sort(children_.begin() + item.first_child, children_.begin() + item.end_child, by_text);
      }
    }
  }

  static void take_sums(FlameBox& box, const Item& item) {
    box.total = item.total;
    box.self = item.self;
    box.before = item.before;
  }

  static Level on(const Item& item, const FlameBox& box) {
    return {.next = item.first_child, .end = item.end_child, .start = box.start, .limit = box.start + box.total};
  }

  // Puts the box of `process` and all boxes on it into the graph.
  void place(FlameBox& process) {
    process.total = std::min(process.total, std::numeric_limits<std::uint64_t>::max() - process.start);
    graph_.boxes_.push_back(process);
    levels_.assign(1, on(items_.front(), process));
    while (!levels_.empty()) {
      Level& level = levels_.back();
      graph_.depth_ = std::max(graph_.depth_, static_cast<std::uint32_t>(levels_.size()));
      if (level.next == level.end) {
        levels_.pop_back();
        continue;
      }
      const Item& item = items_[children_[level.next++]];
      if (item.total == 0) {
        add_to(graph_.only_before_, item.before);
        continue;
      }
      FlameBox box{.frame = item.frame, .depth = static_cast<std::uint32_t>(levels_.size()) + 1, .start = level.start};
      take_sums(box, item);
      box.total = std::min(box.total, level.limit - level.start);  // smaller only if sums reached the limit
      level.start += box.total;
      graph_.boxes_.push_back(box);
      levels_.push_back(on(item, box));
    }
  }

  FlameGraph& graph_;
  const FlameTable& table_;
  std::vector<Index> rank_;     // by frame
  std::vector<Index> item_of_;  // by node, for the current process; `none` between processes
  std::vector<Item> items_;
  std::vector<Index> nodes_;  // same order as items_, without the first item
  std::vector<Index> children_;
  std::vector<Level> levels_;
};

FlameGraph::FlameGraph(const FlameTable& table, std::span<const FlameTable::Cell> cells,
                       std::span<const FlameTable::Cell> before, bool is_comparison)
    : table_(table), boxes_(1), is_comparison_(is_comparison) {
  const Processes processes(table, is_comparison);
  const std::vector<Weight> weights = weights_of(processes, cells, before);
  Walk walk(*this, table);
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
