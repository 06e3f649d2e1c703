// Adds up cells for the tables of --top: by function, by process, by stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "terminal/table.h"

namespace profile {

// Sums of sampled values for a function, or for a row of another kind.
struct TopSum {
  std::uint64_t self = 0;   // of samples with the function at the leaf
  std::uint64_t total = 0;  // of samples with the function anywhere on the stack
};

// By function: self counts samples with the function at the leaf, total samples with the function anywhere on the
// stack. A recursive function counts once per sample.
[[nodiscard]] std::vector<TopSum> function_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);
// By process.
[[nodiscard]] std::vector<std::uint64_t> process_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);

// Processes with the same name are added up: the same stack in a hundred compilers is one line.
struct TopStackSum {
  StringId process = StringId::empty;
  TopTable::Index node = TopTable::none;
  std::uint64_t value = 0;
};
[[nodiscard]] std::vector<TopStackSum> stack_sums(const TopTable& table, std::span<const FlameTable::Cell> cells);

// Which samples are shown: those taken in the kernel, in user code, or both.
enum class TopPart : std::uint8_t { both, kernel, user };
[[nodiscard]] bool is_part(const FlameTable::Cell& cell, const TopTable& table, TopPart part);
// Removes the cells of other parts.
void keep_only(std::vector<FlameTable::Cell>& cells, const TopTable& table, TopPart part);

}  // namespace profile
