// Sequences that are equal end in one node; others never do.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "model/stack_tree.h"

namespace {

using namespace profile;
using Labels = std::vector<StringId>;

StringId label(std::uint32_t number) { return static_cast<StringId>(number); }

// Every sequence that ends somewhere, root first, with its value.
std::map<Labels, std::uint64_t> sequences(const StackTree& tree) {
  std::map<Labels, std::uint64_t> found;
  for (StackTree::NodeId node = 0; node < tree.nodes().size(); ++node) {
    if (tree.nodes()[node].self == 0) continue;
    Labels path = tree.leaf_first(node);
    std::reverse(path.begin(), path.end());
    CHECK(found.emplace(path, tree.nodes()[node].self).second);
  }
  return found;
}

}  // namespace

TEST_CASE("a new tree is its root") {
  const StackTree tree;
  CHECK(tree.nodes().size() == 1);
  CHECK(tree.total() == 0);
  CHECK(tree.leaf_first(StackTree::root).empty());
}

TEST_CASE("sequences that begin alike share their beginning") {
  StackTree tree;
  tree.add(Labels{label(1), label(2), label(3)}, 5);
  tree.add(Labels{label(1), label(2), label(4)}, 7);
  tree.add(Labels{label(1), label(2)}, 1);
  tree.add(Labels{label(1), label(2), label(3)}, 2);
  CHECK(tree.nodes().size() == 5);  // the root, 1, 2, 3, 4
  CHECK(tree.total() == 15);
  CHECK(sequences(tree) == std::map<Labels, std::uint64_t>{{{label(1), label(2)}, 1},
                                                           {{label(1), label(2), label(3)}, 7},
                                                           {{label(1), label(2), label(4)}, 7}});
}

TEST_CASE("a parent stands before its children") {
  StackTree tree;
  tree.add(Labels{label(9), label(8), label(7)}, 1);
  tree.add(Labels{label(7), label(8)}, 1);
  for (StackTree::NodeId node = 1; node < tree.nodes().size(); ++node) CHECK(tree.nodes()[node].parent < node);
}

TEST_CASE("the empty sequence ends at the root, and an empty label is a label") {
  StackTree tree;
  tree.add({}, 3);
  tree.add(Labels{StringId::empty}, 4);
  CHECK(sequences(tree) == std::map<Labels, std::uint64_t>{{{}, 3}, {{StringId::empty}, 4}});
}

TEST_CASE("random sequences come back with the values they were added with") {
  std::mt19937 random(7);
  std::map<Labels, std::uint64_t> expected;
  StackTree tree;
  for (int i = 0; i < 5000; ++i) {
    Labels path(random() % 6);
    for (StringId& each : path) each = label(static_cast<std::uint32_t>(random() % 4));
    const std::uint64_t value = 1 + random() % 9;
    expected[path] += value;
    tree.add(path, value);
  }
  CHECK(sequences(tree) == expected);
}
