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

}  // namespace profile
