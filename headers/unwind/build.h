// Makes the unwind table of a file from its .eh_frame, and from .debug_frame for code that the other does not describe.
// Pure; another user may have made the bytes. A file that is damaged gets no table but a reason, and the cost is
// bounded by the file's size.
#pragma once

#include "elf/file.h"
#include "unwind/table.h"

namespace profile {

struct UnwindAnswer {
  UnwindFault fault = UnwindFault::none;
  UnwindTable table;  // empty with a fault
};

// All reading and other work is taken from the budget that `file` was made with.
[[nodiscard]] UnwindAnswer unwind_table_of(const ElfFile& file);

}  // namespace profile
