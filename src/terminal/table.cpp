#include "terminal/table.h"

#include <functional>

#include "output/shown_frame.h"
#include "support/hash.h"

namespace profile {
namespace {

std::uint64_t key_of(StringId high, std::uint32_t low) {
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | low;
}

// The hash of a chain of texts; `seed` is the hash of the texts before.
std::uint64_t identity_of(std::uint64_t seed, std::string_view text) {
  return hash_of(seed, std::hash<std::string_view>()(text));
}

// Whether samples with this frame at the leaf were taken in the kernel. Inlined frames and tags are where the frame
// below them is.
bool is_kernel(const FlameTable::Frame& frame, std::string_view name, bool below) {
  if (frame.kind == FlameKind::inlined || frame.kind == FlameKind::tag) return below;
  return frame.kind == FlameKind::kernel || name == missed_kernel_stack;
}

}  // namespace

TopTable::TopTable(const FlameHistory::Limits& limits) : history_(UnknownRuns::kept, limits) { begin(); }

void TopTable::begin() {
  followed_ = {};
  functions_.clear();
  function_ids_.clear();
  processes_.clear();
  process_ids_.clear();
  nodes_.clear();
  function_of_.clear();
  process_of_.clear();
  no_stack_ = function(history_.intern(no_stack_name), StringId::empty, FlameKind::unnamed);
}

void TopTable::add(const Profile& profile) {
  if (!history_.add(profile)) begin();
  follow();
}

TopTable::Index TopTable::function(StringId name, StringId module, FlameKind kind) {
  const std::uint64_t key = key_of(name, static_cast<std::uint32_t>(module));
  const auto [found, is_new] = function_ids_.try_emplace(key, static_cast<Index>(functions_.size()));
  if (is_new) {
    const std::uint64_t identity = identity_of(identity_of(1, view(name)), view(module));
    functions_.push_back({.name = name, .module = module, .kind = kind, .identity = identity});
  }
  return found->second;
}

TopTable::Index TopTable::process(StringId name, std::uint32_t tgid) {
  const auto [found, is_new] = process_ids_.try_emplace(key_of(name, tgid), static_cast<Index>(processes_.size()));
  if (is_new) {
    const std::uint64_t of_name = identity_of(2, view(name));
    processes_.push_back({.name = name, .tgid = tgid, .identity = hash_of(of_name, tgid), .name_identity = of_name});
  }
  return found->second;
}

void TopTable::follow() {
  const FlameTable& flame = history_.table();
  for (std::size_t i = followed_.frames; i < flame.frames().size(); ++i) {
    const FlameTable::Frame& frame = flame.frames()[i];
    function_of_.push_back(function(frame.name, frame.module, frame.kind));
  }
  for (std::size_t i = followed_.owners; i < flame.owners().size(); ++i) {
    const FlameTable::Owner& owner = flame.owners()[i];
    const bool is_earlier = owner.tgid == 0 && view(owner.thread) == FlameHistory::earlier;
    process_of_.push_back(process(owner.process, is_earlier ? earlier : owner.tgid));
  }
  for (std::size_t i = followed_.nodes; i < flame.nodes().size(); ++i) follow_node(flame.nodes()[i]);
  followed_ = flame.mark();
}

void TopTable::follow_node(const FlameTable::Node& node) {
  const FlameTable::Frame& frame = history_.table().frames()[node.frame];
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

std::string pid_text(const TopTable::Process& process) {
  return process.tgid == TopTable::earlier ? "earlier" : std::to_string(process.tgid);
}

}  // namespace profile
