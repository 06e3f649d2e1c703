// Makes the table of a file from its .eh_frame, or .debug_frame where it has no other: pure, of bytes that a stranger
// may have made. A file that lies has no table, and a reason; what one costs is bounded by its size.
#pragma once

#include "elf/file.h"
#include "unwind/table.h"

namespace profile {

struct UnwindAnswer {
  UnwindFault fault = UnwindFault::none;
  UnwindTable table;  // empty with a fault
};

// What it reads and does is taken from the budget that `file` was made with.
[[nodiscard]] UnwindAnswer unwind_table_of(const ElfFile& file);

}  // namespace profile
