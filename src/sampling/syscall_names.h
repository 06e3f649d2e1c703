// The names of system calls by number, from the kernel's headers on the machine of the build.
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

// Sorted by number; empty for an ABI that this architecture does not have.
[[nodiscard]] std::span<const SyscallName> syscall_names(syscall_abi abi);
// "" when the headers have no name. `call` has the form of headers/abi/syscalls.h (ABI and number).
[[nodiscard]] std::string_view known_syscall_name(std::uint32_t call);
// "read", or "syscall 400" if the headers have no name. In the places from PROFILE_SYSCALL_ODD on only the source knows
// the true number; the last place is "syscall out of range".
[[nodiscard]] std::string syscall_name(std::uint32_t call);

}  // namespace profile
