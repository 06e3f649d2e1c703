#include <algorithm>
#include <numeric>
#include <tuple>

#include "output/flame/data.h"

namespace profile {
namespace {

using Index = FlameTable::Index;

// The indices of all frames, sorted by name, module, file and line. The page sorts in the same way.
std::vector<Index> sorted_frames(const FlameTable& table) {
  const auto& frames = table.frames();
  const auto text = [&table](StringId id) { return table.strings().view(id); };
  std::vector<Index> sorted(frames.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, {}, [&](Index i) {
    const FlameTable::Frame& frame = frames[i];
    return std::make_tuple(text(frame.name), text(frame.module), text(frame.file), frame.line);
  });
  return sorted;
}

}  // namespace

std::vector<FlameTable::Cell> FlameDrawOrder::moved(std::span<const FlameTable::Cell> cells) const {
  std::vector<FlameTable::Cell> all(cells.begin(), cells.end());
  for (FlameTable::Cell& cell : all) {
    if (cell.node != FlameTable::none) cell.node = node_of[cell.node];
  }
  return all;
}

FlameDrawOrder draw_order_of(const FlameTable& table) {
  FlameDrawOrder order;
  std::vector<Index> rank(table.frames().size());
  for (const Index frame : sorted_frames(table)) {
    rank[frame] = static_cast<Index>(order.frames.size());
    order.frames.push_back(table.frames()[frame]);
  }
  order.node_of = table.depth_first(rank);
  order.nodes.resize(order.node_of.size());
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    const auto [parent, frame] = table.nodes()[i];
    order.nodes[order.node_of[i]] = {.parent = parent == FlameTable::none ? FlameTable::none : order.node_of[parent],
                                     .frame = rank[frame]};
  }
  return order;
}

}  // namespace profile
