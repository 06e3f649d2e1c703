#include "terminal/table.h"

#include <functional>

#include "output/shown_frame.h"
#include "support/hash.h"

namespace profile {
namespace {

std::uint64_t key_of(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
std::uint64_t key_of(StringId high, StringId low) {
  return key_of(static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(low));
}

// The hash of a chain of texts; `seed` is the hash of the texts before.
std::uint64_t identity_of(std::uint64_t seed, std::string_view text) {
  return hash_of(seed, std::hash<std::string_view>()(text));
}

// Whether samples with this frame at the leaf were taken in the kernel. Inlined frames and tags are where the frame
// below them is.
bool is_kernel(const FlameTable::Frame& frame, std::string_view name, bool below) {
  switch (frame.kind) {
    case FlameKind::kernel:
      return true;
    case FlameKind::inlined:
    case FlameKind::tag:
      return below;
    default:
      return name == missed_kernel_stack;
  }
}

}  // namespace

TopTable::TopTable() { no_stack_ = function(no_stack_name, "", FlameKind::unnamed); }

std::vector<FlameTable::Cell> TopTable::add(const Profile& profile) {
  std::vector<FlameTable::Cell> cells = flame_.add(profile);
  follow();
  return cells;
}

TopTable::Index TopTable::function(std::string_view name, std::string_view module, FlameKind kind) {
  return function(flame_.intern(name), flame_.intern(module), kind);
}

TopTable::Index TopTable::process(std::string_view name, std::uint32_t tgid) {
  return process(flame_.intern(name), tgid);
}

TopTable::Index TopTable::function(StringId name, StringId module, FlameKind kind) {
  const auto [found, is_new] = function_ids_.try_emplace(key_of(name, module), static_cast<Index>(functions_.size()));
  if (is_new) {
    const std::uint64_t identity = identity_of(identity_of(1, view(name)), view(module));
    functions_.push_back({.name = name, .module = module, .kind = kind, .identity = identity});
  }
  return found->second;
}

TopTable::Index TopTable::process(StringId name, std::uint32_t tgid) {
  const auto [found, is_new] =
      process_ids_.try_emplace(key_of(static_cast<std::uint32_t>(name), tgid), static_cast<Index>(processes_.size()));
  if (is_new) {
    processes_.push_back({.name = name, .tgid = tgid, .identity = hash_of(identity_of(2, view(name)), tgid)});
  }
  return found->second;
}

void TopTable::follow() {
  for (std::size_t i = followed_.frames; i < flame_.frames().size(); ++i) {
    const FlameTable::Frame& frame = flame_.frames()[i];
    function_of_.push_back(function(frame.name, frame.module, frame.kind));
  }
  for (std::size_t i = followed_.owners; i < flame_.owners().size(); ++i) {
    process_of_.push_back(process(flame_.owners()[i].process, flame_.owners()[i].tgid));
  }
  for (std::size_t i = followed_.nodes; i < flame_.nodes().size(); ++i) follow_node(flame_.nodes()[i]);
  for (std::size_t i = followed_.strings; i < flame_.strings().size(); ++i) {
    text_bytes_ += view(static_cast<StringId>(i)).size();
  }
  followed_ = flame_.mark();
}

void TopTable::follow_node(const FlameTable::Node& node) {
  const FlameTable::Frame& frame = flame_.frames()[node.frame];
  const bool has_parent = node.parent != none;
  Node followed{.parent = node.parent, .function = function_of_[node.frame]};
  followed.is_kernel = is_kernel(frame, view(frame.name), has_parent && nodes_[node.parent].is_kernel);
  followed.identity = hash_of(has_parent ? nodes_[node.parent].identity : 3,
                              hash_of(functions_[followed.function].identity, frame.line));
  for (Index at = node.parent; at != none && followed.is_outermost; at = nodes_[at].parent) {
    followed.is_outermost = nodes_[at].function != followed.function;
  }
  nodes_.push_back(followed);
}

TopMove::TopMove(const TopTable& from, TopTable& to)
    : from_(from), to_(to), owners_(from.flame_.owners().size()), nodes_(from.flame_.nodes().size()) {}

TopMove::Index TopMove::owner(Index old) {
  if (!owners_[old]) owners_[old] = to_.flame_.copy_owner(from_.flame_, old);
  return *owners_[old];
}

TopMove::Index TopMove::node(Index old) {
  way_.clear();
  for (Index at = old; at != FlameTable::none && !nodes_[at]; at = from_.flame_.nodes()[at].parent) way_.push_back(at);
  // Copy from the outermost missing node (it has no parent, or a parent that was copied before) towards `old`.
  for (; !way_.empty(); way_.pop_back()) {
    const FlameTable::Node& node = from_.flame_.nodes()[way_.back()];
    const Index parent = node.parent == FlameTable::none ? FlameTable::none : *nodes_[node.parent];
    nodes_[way_.back()] = to_.flame_.child(parent, to_.flame_.copy_frame(from_.flame_, node.frame));
  }
  return old == FlameTable::none ? FlameTable::none : *nodes_[old];
}

std::vector<FlameTable::Cell> TopMove::moved(const std::vector<FlameTable::Cell>& cells) {
  std::vector<FlameTable::Cell> out;
  out.reserve(cells.size());
  for (const FlameTable::Cell& cell : cells) {
    out.push_back({.owner = owner(cell.owner), .node = node(cell.node), .value = cell.value});
  }
  to_.follow();
  return out;
}

}  // namespace profile
