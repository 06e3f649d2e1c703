// Three numbers that look alike and must never be mixed: where code ran, where its bytes lie in the file, and where the
// ELF file says it lies. Converting between them needs a mapping (process/) or program headers (symbol/).
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
// A virtual address as the ELF file's own headers and symbols count it (p_vaddr, st_value).
using ElfAddress = Address<struct ElfTag>;

}  // namespace profile
