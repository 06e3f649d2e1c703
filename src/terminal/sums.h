// Cells added up into what stands in the tables of --top: by function, by process, by stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "terminal/history.h"

namespace profile {

// By function: self is what has it at the leaf, total what has it on the stack, once however often it stands there.
[[nodiscard]] std::vector<TopSum> function_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);
// By process.
[[nodiscard]] std::vector<std::uint64_t> process_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);

// Processes of one name are one here: a stack of a hundred compilers is one line.
struct TopStackSum {
  StringId process = StringId::empty;
  TopTable::Index node = TopTable::none;
  std::uint64_t value = 0;
};
[[nodiscard]] std::vector<TopStackSum> stack_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);

// Which samples are looked at, by where they were taken.
enum class TopPart : std::uint8_t { both, kernel, user };
[[nodiscard]] bool is_part(const FlameTable::Cell& cell, const TopTable& table, TopPart part);
// Takes away the cells of other parts, and of other processes unless `process` is `none`.
void keep_only(std::vector<FlameTable::Cell>& cells, const TopTable& table, TopPart part, TopTable::Index process);

}  // namespace profile
