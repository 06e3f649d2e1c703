// Makes the state of a history smaller (output/flame/history.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "output/flame/history.h"

namespace profile {

// What is kept: all nodes and owners of the last `ticks` ticks, and those with a value of at least `least` in the
// total, callees included.
struct FlameKeep {
  std::size_t ticks = 0;
  std::uint64_t least = 0;
  // The number of process names that stay separate among folded owners, in the order of the owners. The other names
  // become FlameHistory::earlier.
  std::size_t names = 0;
  // If more nodes or owners would be kept, folding is not worth it.
  std::size_t most_nodes = 0;
  std::size_t most_owners = 0;
};
// nullopt when too much would be kept.
[[nodiscard]] std::optional<FlameHistory::State> pruned(const FlameHistory::State& state, const FlameKeep& keep);

}  // namespace profile
