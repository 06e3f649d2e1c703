// Where the running kernel keeps what the walk of user stacks reads: the walk's conditions come from its types, never
// from its version.
#pragma once

#include <optional>
#include <string>

#include "abi/walk.h"
#include "sampling/kernel_types.h"

namespace profile {

// Fills `layout` in. Returns what is missing in these types, in words; nullopt when nothing is.
std::optional<std::string> layout_of(const KernelTypes& types, kernel_layout& layout);
// The same of the running kernel.
std::optional<std::string> read_kernel_layout(kernel_layout& layout);

}  // namespace profile
