// Code that nobody describes and that every stack may pass through: the first instructions of a program, _init and
// _fini, the linker's stubs, the way back from a signal. It is known by its bytes.
#pragma once

#include <vector>

#include "elf/file.h"
#include "unwind/frame_entries.h"
#include "unwind/machine.h"
#include "unwind/rule_list.h"

namespace profile {

// One rule a range. They may lie where the file's own entries do, which then count.
[[nodiscard]] std::vector<FrameRange> plain_code_of(const ElfFile& file, const UnwindMachine& machine, RuleList& rules);

}  // namespace profile
