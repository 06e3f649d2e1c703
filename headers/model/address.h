// Three kinds of number that look alike and must never be mixed: the address where code ran, the offset of its bytes in
// the file, and the address that the ELF file gives it. A conversion needs a mapping (process/) or program headers
// (symbol/).
#pragma once

#include <compare>
#include <cstdint>

namespace profile {

template <class Tag>
struct Address {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

// An address in a running process, or in the running kernel.
using RuntimeAddress = Address<struct RuntimeTag>;
// A byte offset from the start of a file.
using FileOffset = Address<struct FileTag>;
// A virtual address as in the ELF file's own headers and symbols (p_vaddr, st_value).
using ElfAddress = Address<struct ElfTag>;

// What a return address stands for is its call, which may be the last instruction of a function or of a file. So the
// byte before it is looked up, and what was found is told of the return address again. With `is_return` false, both
// functions change nothing.
[[nodiscard]] constexpr std::uint64_t call_address(std::uint64_t address, bool is_return) {
  return address - (is_return ? 1 : 0);
}
[[nodiscard]] constexpr std::uint64_t return_address(std::uint64_t call, bool is_return) {
  return call + (is_return ? 1 : 0);
}
template <class Tag>
[[nodiscard]] constexpr Address<Tag> call_address(Address<Tag> address, bool is_return) {
  return {call_address(address.value, is_return)};
}
template <class Tag>
[[nodiscard]] constexpr Address<Tag> return_address(Address<Tag> call, bool is_return) {
  return {return_address(call.value, is_return)};
}

}  // namespace profile
