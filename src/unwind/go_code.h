// Finds the code of Go's runtime that changes stacks. Its entries describe it as if it had not: on the other stack they
// would find a word that is no return address. And the code that pushes its frame pointer twice, which only entries of
// .debug_frame describe.
#pragma once

#include <vector>

#include "elf/file.h"
#include "unwind/frame_entries.h"
#include "unwind/machine.h"
#include "unwind/rule_list.h"

namespace profile {

// Each range has one rule, which counts instead of the file's own entries. In the order of the file; empty when this is
// no Go program, or not for x86-64.
[[nodiscard]] std::vector<FrameRange> go_code_of(const ElfFile& file, const UnwindMachine& machine, RuleList& rules);

}  // namespace profile
