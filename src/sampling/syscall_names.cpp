#include "sampling/syscall_names.h"

#include <algorithm>
#include <array>

namespace profile {
namespace {

#include "sampling/syscall_tables.h"

// By syscall_abi.
const std::array<std::span<const SyscallName>, SYSCALL_ABIS> tables{native_syscalls, compat_syscalls, x32_syscalls};

}  // namespace

std::span<const SyscallName> syscall_names(syscall_abi abi) {
  const std::size_t index = abi;
  return index < tables.size() ? tables[index] : std::span<const SyscallName>();
}

std::string_view known_syscall_name(std::uint32_t call) {
  const auto names = syscall_names(static_cast<syscall_abi>(call >> PROFILE_SYSCALL_ABI_SHIFT));
  const std::uint32_t number = call % PROFILE_SYSCALL_NUMBERS;
  const auto found = std::ranges::lower_bound(names, number, {}, &SyscallName::number);
  return found != names.end() && found->number == number ? found->name : std::string_view{};
}

std::string syscall_name(std::uint32_t call) {
  const std::string_view known = known_syscall_name(call);
  if (!known.empty()) return std::string(known);
  const std::uint32_t number = call % PROFILE_SYSCALL_NUMBERS;
  if (number == PROFILE_SYSCALL_OUT_OF_RANGE) return "syscall out of range";
  return "syscall " + std::to_string(number);
}

}  // namespace profile
