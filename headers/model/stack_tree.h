// Sequences of labels merged by their common beginnings: what a flame graph draws. Costs about 64 bytes a node, so it
// is not for formats that only merge whole stacks (output/labelled_rows.h is).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/string_table.h"

namespace profile {

class StackTree {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId root = 0;

  struct Node {
    NodeId parent = root;
    StringId label = StringId::empty;
    std::uint64_t self = 0;  // value of the sequences that end here
  };

  // Adds `value` to the node at the end of `root_first`.
  void add(std::span<const StringId> root_first, std::uint64_t value);

  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  // The labels from the node up to, but not including, the root.
  [[nodiscard]] std::vector<StringId> leaf_first(NodeId node) const;
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::vector<Node> nodes_{Node{}};
  std::unordered_map<std::uint64_t, NodeId> children_;  // key: parent << 32 | label
  std::uint64_t total_ = 0;
};

}  // namespace profile
