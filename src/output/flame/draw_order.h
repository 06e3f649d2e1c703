// The order in which a flame graph is drawn: frames by their texts, and nodes by a depth-first walk in which siblings
// are in the order of their frames. A page that gets its data in this order need not sort it before the first picture.
#pragma once

#include <span>
#include <vector>

#include "output/flame/table.h"

namespace profile {

struct FlameDrawOrder {
  // What the table has, in the other order. Its strings and owners stay as they are.
  std::vector<FlameTable::Frame> frames;
  std::vector<FlameTable::Node> nodes;
  std::vector<FlameTable::Index> node_of;  // the new index of a node, by its index in the table

  [[nodiscard]] std::vector<FlameTable::Cell> moved(std::span<const FlameTable::Cell> cells) const;
};

[[nodiscard]] FlameDrawOrder draw_order_of(const FlameTable& table);

}  // namespace profile
