// Finds code that no entry describes and that every stack may pass through: the first instructions of a program, _init
// and _fini, the linker's stubs, the return from a signal handler. It recognises the code by its bytes.
#pragma once

#include <vector>

#include "elf/file.h"
#include "unwind/frame_entries.h"
#include "unwind/machine.h"
#include "unwind/rule_list.h"

namespace profile {

// Each range has one rule. A range may overlap the file's own entries, which then count instead of it.
[[nodiscard]] std::vector<FrameRange> plain_code_of(const ElfFile& file, const UnwindMachine& machine, RuleList& rules);

}  // namespace profile
