// Finds where the running kernel keeps what the walk of user stacks reads. It goes by the kernel's types (BTF), never
// by the kernel's version.
#pragma once

#include <optional>
#include <string>

#include "abi/walk.h"
#include "sampling/kernel_types.h"

namespace profile {

// Fills in `layout`. Returns a message about what these types lack; nullopt when nothing is missing.
std::optional<std::string> layout_of(const KernelTypes& types, kernel_layout& layout);
// The same for the running kernel.
std::optional<std::string> read_kernel_layout(kernel_layout& layout);

}  // namespace profile
