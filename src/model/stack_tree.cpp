#include "model/stack_tree.h"

namespace profile {

void StackTree::add(std::span<const StringId> root_first, std::uint64_t value) {
  NodeId node = root;
  for (const StringId label : root_first) {
    const std::uint64_t key = std::uint64_t{node} << 32 | static_cast<std::uint32_t>(label);
    const auto [child, is_new] = children_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
    if (is_new) nodes_.push_back(Node{.parent = node, .label = label, .self = 0});
    node = child->second;
  }
  nodes_[node].self += value;
  total_ += value;
}

std::vector<StringId> StackTree::leaf_first(NodeId node) const {
  std::vector<StringId> labels;
  for (; node != root; node = nodes_[node].parent) labels.push_back(nodes_[node].label);
  return labels;
}

}  // namespace profile
