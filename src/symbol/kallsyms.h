// Names of kernel code, out of text in the format of /proc/kallsyms.
#pragma once

#include <span>
#include <vector>

#include "elf/symbol_source.h"
#include "model/address.h"

namespace profile {

// Reads `kallsyms_fd` from where it stands to its end; memory grows with `addresses`, which ascend and are distinct.
// One answer for each of them: a function's name and module ("kernel" when it is none's), or no_symbol, or
// kernel_hidden when the kernel shows every address as zero.
//
// An address in the padding before a function (`__pfx_f`: room for instructions that tracing patches in) is named `f`,
// counted from the start of the padding: whoever reads a profile looks for the function.
[[nodiscard]] std::vector<KernelSymbol> resolve_kernel(int kallsyms_fd, std::span<const RuntimeAddress> addresses);

}  // namespace profile
