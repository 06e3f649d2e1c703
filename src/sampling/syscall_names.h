// The names of system calls by number, in the tables that the kernel's headers had when this was built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "abi/syscalls.h"

namespace profile {

struct SyscallName {
  std::uint32_t number;
  std::string_view name;
};

// In the order of the numbers; empty for an ABI this architecture does not have.
[[nodiscard]] std::span<const SyscallName> syscall_names(syscall_abi abi);
// "" when the headers know none. `call` is a number in a table, as headers/abi/syscalls.h has it.
[[nodiscard]] std::string_view known_syscall_name(std::uint32_t call);
// "read"; "syscall 400" where the headers know no name. What number stands in a place from PROFILE_SYSCALL_ODD on the
// source knows; "syscall out of range" where it found none.
[[nodiscard]] std::string syscall_name(std::uint32_t call);

}  // namespace profile
