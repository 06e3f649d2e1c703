#include "terminal/sums.h"

#include <unordered_map>

namespace profile {

std::vector<TopSum> function_sums(const TopTable& table, std::span<const FlameTable::Cell> cells) {
  std::vector<TopSum> sums(table.functions().size());
  const std::vector<TopTable::Node>& nodes = table.nodes();
  std::vector<std::uint64_t> below(nodes.size());
  for (const FlameTable::Cell& cell : cells) {
    if (cell.node == TopTable::none) {
      sums[table.no_stack()].self += cell.value;
      sums[table.no_stack()].total += cell.value;
    } else {
      below[cell.node] += cell.value;
      sums[nodes[cell.node].function].self += cell.value;
    }
  }
  // Children have higher indices than their parents.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const TopTable::Node& node = nodes[i];
    if (node.parent != TopTable::none) below[node.parent] += below[i];
    if (node.is_outermost) sums[node.function].total += below[i];
  }
  return sums;
}

std::vector<std::uint64_t> process_sums(const TopTable& table, std::span<const FlameTable::Cell> cells) {
  std::vector<std::uint64_t> sums(table.processes().size());
  for (const FlameTable::Cell& cell : cells) sums[table.process_of(cell.owner)] += cell.value;
  return sums;
}

std::vector<TopStackSum> stack_sums(const TopTable& table, std::span<const FlameTable::Cell> cells) {
  std::vector<TopStackSum> sums;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const FlameTable::Cell& cell : cells) {
    const StringId name = table.processes()[table.process_of(cell.owner)].name;
    const auto key = std::uint64_t{static_cast<std::uint32_t>(name)} << 32 | cell.node;
    const auto [place, is_new] = places.try_emplace(key, sums.size());
    if (is_new) sums.push_back({.process = name, .node = cell.node});
    sums[place->second].value += cell.value;
  }
  return sums;
}

bool is_part(const FlameTable::Cell& cell, const TopTable& table, TopPart part) {
  if (part == TopPart::both) return true;
  const bool is_kernel = cell.node != TopTable::none && table.nodes()[cell.node].is_kernel;
  return is_kernel == (part == TopPart::kernel);
}

void keep_only(std::vector<FlameTable::Cell>& cells, const TopTable& table, TopPart part) {
  std::erase_if(cells, [&](const FlameTable::Cell& cell) { return !is_part(cell, table, part); });
}

}  // namespace profile
