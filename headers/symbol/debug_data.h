// Fedora and its kin strip programs but leave the names of their functions in them: the section .gnu_debugdata holds an
// xz-compressed ELF file with nothing but a symbol table. Unpacked into memory it is read like any other file.
#pragma once

#include <cstdint>
#include <string>

#include "support/fd.h"
#include "symbol/elf_file.h"

namespace profile {

// The largest known ones, of web browsers, unpack to some 10 MB.
inline constexpr std::uint64_t most_debug_data_bytes = 64 << 20;

// The unpacked file, in memory and unchangeable; its addresses are those of `file`. No Fd, and `why` empty: `file` has
// no such section. No Fd, and `why` says it: it cannot be unpacked.
[[nodiscard]] Fd unpack_debug_data(const ElfFile& file, std::string& why,
                                   std::uint64_t most_bytes = most_debug_data_bytes);

}  // namespace profile
