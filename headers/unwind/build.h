// Makes the unwind table of a file from its .eh_frame, and from .debug_frame for code that the other does not describe.
// Pure; another user may have made the bytes. A file that is damaged gets no table but a reason, and the cost is
// bounded by the file's size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elf/file.h"
#include "unwind/table.h"

namespace profile {

struct UnwindAnswer {
  UnwindFault fault = UnwindFault::none;
  UnwindTable table;  // empty with a fault
};

// All reading and other work is taken from the budget that `file` was made with.
[[nodiscard]] UnwindAnswer unwind_table_of(const ElfFile& file);

// A part of a file's code, from offset `start` of the file on.
struct CodeRange {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool holds(std::uint64_t offset) const { return offset - start < bytes; }
};

// The ranges that entries of .eh_frame describe, by their start. Empty when they cannot be read.
[[nodiscard]] std::vector<CodeRange> described_code(const ElfFile& file);

// Marks the rules of these ranges, which must ascend and not overlap, as those of an interpreter's function.
void mark_interpreter(UnwindTable& table, std::span<const CodeRange> ranges);

}  // namespace profile
