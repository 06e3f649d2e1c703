// The category of each system call, chosen by hand and by name, for every call that the kernel has had on our
// architectures. The names and numbers come from the kernel's headers.
#pragma once

#include <string_view>
#include <vector>

#include "model/measures.h"

namespace profile {

// `other` for a name that is not in the lists.
[[nodiscard]] SyscallCategory category_of_syscall(std::string_view name);
// All names in the list of that category.
[[nodiscard]] std::vector<std::string_view> syscalls_of(SyscallCategory category);

}  // namespace profile
