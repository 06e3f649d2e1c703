// Finds names of kernel code in text in the format of /proc/kallsyms.
#pragma once

#include <span>
#include <vector>

#include "elf/symbol.h"
#include "model/address.h"

namespace profile {

// Reads `kallsyms_fd` from where it stands to its end. The memory grows with `addresses`, which ascend and are
// distinct. Each address has one answer: a function's name and module ("kernel" when it is in no module), or no_symbol,
// or kernel_hidden when the kernel shows every address as zero.
//
// An address in the padding before a function (`__pfx_f`: room for instructions that tracing patches in) is named `f`,
// counted from the start of the padding: viewers of a profile look for the function.
[[nodiscard]] std::vector<KernelSymbol> resolve_kernel(int kallsyms_fd, std::span<const RuntimeAddress> addresses);

}  // namespace profile
