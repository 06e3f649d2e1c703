#include "output/flame/draw_order.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace profile {
namespace {

using Index = FlameTable::Index;
constexpr auto none = FlameTable::none;

// The indices of all frames, sorted by name, module, file and line. The page sorts in the same way.
std::vector<Index> sorted_frames(const FlameTable& table) {
  const auto& frames = table.frames();
  const auto text = [&table](StringId id) { return table.strings().view(id); };
  std::vector<Index> sorted(frames.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::sort(sorted, [&](Index a, Index b) {
    const FlameTable::Frame& left = frames[a];
    const FlameTable::Frame& right = frames[b];
    if (left.name != right.name) return text(left.name) < text(right.name);
    if (left.module != right.module) return text(left.module) < text(right.module);
    if (left.file != right.file) return text(left.file) < text(right.file);
    return left.line != right.line ? left.line < right.line : a < b;
  });
  return sorted;
}

// Lists of nodes with the same parent. Index 0 of `head` has the roots.
struct Siblings {
  std::vector<Index> head;
  std::vector<Index> next;
};

// `rank`: the place of each frame in the order.
Siblings siblings_of(const std::vector<FlameTable::Node>& nodes, const std::vector<Index>& rank) {
  // A counting sort by rank, the last rank first: each node is put before the siblings that are in the list already.
  std::vector<Index> ends(rank.size() + 1);
  for (const FlameTable::Node& node : nodes) ++ends[rank[node.frame] + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Index> by_rank(nodes.size());
  for (Index i = 0; i < nodes.size(); ++i) by_rank[ends[rank[nodes[i].frame]]++] = i;
  Siblings siblings{.head = std::vector<Index>(nodes.size() + 1, none), .next = std::vector<Index>(nodes.size())};
  for (std::size_t i = by_rank.size(); i-- > 0;) {
    const Index node = by_rank[i];
    Index& head = siblings.head[nodes[node].parent == none ? 0 : nodes[node].parent + 1];
    siblings.next[node] = head;
    head = node;
  }
  return siblings;
}

}  // namespace

std::vector<FlameTable::Cell> FlameDrawOrder::moved(std::span<const FlameTable::Cell> cells) const {
  std::vector<FlameTable::Cell> all(cells.begin(), cells.end());
  for (FlameTable::Cell& cell : all) {
    if (cell.node != none) cell.node = node_of[cell.node];
  }
  return all;
}

FlameDrawOrder draw_order_of(const FlameTable& table) {
  const auto& nodes = table.nodes();
  FlameDrawOrder order;
  std::vector<Index> rank(table.frames().size());
  for (const Index frame : sorted_frames(table)) {
    rank[frame] = static_cast<Index>(order.frames.size());
    order.frames.push_back(table.frames()[frame]);
  }
  const auto [head, next] = siblings_of(nodes, rank);
  order.nodes.reserve(nodes.size());
  order.node_of.resize(nodes.size());
  Index at = head[0];
  while (at != none) {
    const Index parent = nodes[at].parent;
    order.node_of[at] = static_cast<Index>(order.nodes.size());
    order.nodes.push_back({.parent = parent == none ? none : order.node_of[parent], .frame = rank[nodes[at].frame]});
    if (head[at + 1] != none) {
      at = head[at + 1];
      continue;
    }
    while (at != none && next[at] == none) at = nodes[at].parent;
    if (at != none) at = next[at];
  }
  return order;
}

}  // namespace profile
