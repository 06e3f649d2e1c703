// Which category each system call belongs to: a classification by name, made by hand, of every call the kernel has had
// on the architectures we know. The names and numbers themselves come from the kernel's headers.
#pragma once

#include <string_view>
#include <vector>

#include "model/measures.h"

namespace profile {

// `other` for a name that nobody has classified.
[[nodiscard]] SyscallCategory category_of_syscall(std::string_view name);
// All that were put there by hand.
[[nodiscard]] std::vector<std::string_view> syscalls_of(SyscallCategory category);

}  // namespace profile
