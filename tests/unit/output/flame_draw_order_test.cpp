// The order in which pages get frames and nodes.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "output/flame/data.h"

namespace profile {
namespace {

using Index = FlameTable::Index;
constexpr auto none = FlameTable::none;

// The names of a stack, the leaf first.
template <class Frames, class Nodes>
std::string stack_text(const StringTable& strings, const Frames& frames, const Nodes& nodes, Index node) {
  std::string text;
  for (Index at = node; at != none; at = nodes[at].parent) {
    const FlameTable::Frame& frame = frames[nodes[at].frame];
    text.append(strings.view(frame.name)).append(":").append(std::to_string(frame.line)).append(";");
  }
  return text;
}

// A table with many stacks that share frames, and a cell for each node and one without a stack.
struct Sample {
  FlameTable table;
  std::vector<FlameTable::Cell> cells;
};
Sample random_sample(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  Sample sample;
  std::vector<Index> nodes{none};
  while (sample.table.nodes().size() < count) {
    const Index parent = nodes[random() % nodes.size()];
    const Index frame = sample.table.intern_frame({.name = sample.table.intern("f" + std::to_string(random() % 40)),
                                                   .module = sample.table.intern("m" + std::to_string(random() % 3)),
                                                   .line = static_cast<std::uint32_t>(random() % 3)});
    nodes.push_back(sample.table.child(parent, frame));
  }
  sample.cells.push_back({.owner = 0, .node = none, .value = 7});
  for (Index i = 0; i < sample.table.nodes().size(); ++i)
    sample.cells.push_back({.owner = 0, .node = i, .value = i + 1});
  return sample;
}

TEST_CASE("frames are sorted by name, module, file and line") {
  const Sample sample = random_sample(1, 500);
  const FlameDrawOrder order = draw_order_of(sample.table);
  REQUIRE(order.frames.size() == sample.table.frames().size());
  const auto key = [&](const FlameTable::Frame& frame) {
    const StringTable& strings = sample.table.strings();
    return std::tuple(strings.view(frame.name), strings.view(frame.module), strings.view(frame.file), frame.line);
  };
  for (std::size_t i = 1; i < order.frames.size(); ++i) CHECK(key(order.frames[i - 1]) < key(order.frames[i]));
}

TEST_CASE("nodes are in the order of a depth-first walk with sorted siblings") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Sample sample = random_sample(seed, seed * 20);
    const FlameDrawOrder order = draw_order_of(sample.table);
    REQUIRE(order.nodes.size() == sample.table.nodes().size());
    std::map<Index, Index> last_child;  // by parent, its frame
    Index before = none;
    for (Index node = 0; node < order.nodes.size(); ++node) {
      const Index parent = order.nodes[node].parent;
      Index at = before;
      while (at != parent) {
        REQUIRE(at != none);
        at = order.nodes[at].parent;
      }
      const auto sibling = last_child.find(parent);
      if (sibling != last_child.end()) CHECK(sibling->second < order.nodes[node].frame);
      last_child[parent] = order.nodes[node].frame;
      before = node;
    }
  }
}

TEST_CASE("moved cells have the same stacks and values") {
  const Sample sample = random_sample(5, 300);
  const FlameDrawOrder order = draw_order_of(sample.table);
  const std::vector<FlameTable::Cell> moved = order.moved(sample.cells);
  REQUIRE(moved.size() == sample.cells.size());
  const StringTable& strings = sample.table.strings();
  for (std::size_t i = 0; i < moved.size(); ++i) {
    CHECK(moved[i].value == sample.cells[i].value);
    CHECK(stack_text(strings, order.frames, order.nodes, moved[i].node) ==
          stack_text(strings, sample.table.frames(), sample.table.nodes(), sample.cells[i].node));
  }
}

TEST_CASE("an empty table has an empty order") {
  const FlameDrawOrder order = draw_order_of(FlameTable());
  CHECK(order.frames.empty());
  CHECK(order.nodes.empty());
}

}  // namespace
}  // namespace profile
