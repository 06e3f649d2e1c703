// Finds names in an ELF file's own symbol tables: first in .symtab, then in .dynsym, and last among the labels of
// hand-written code. The tables are streamed, and only what the given addresses need is kept, so a large program takes
// no more memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "elf/file.h"
#include "elf/symbol.h"

namespace profile {

// Upper bound on the bytes of names kept for one query of so many addresses. A name of 200 bytes is long; a
// file that needs more than this has filled its string table to do harm.
[[nodiscard]] constexpr std::uint64_t name_budget_bytes(std::size_t addresses) {
  return (std::uint64_t{1} << 20) + std::uint64_t{1024} * addresses;
}

// `addresses` ascend and are distinct; `answers` has their size. It looks only at answers whose `unnamed` is not
// `named`, so several sources can be asked in turn, the best first. Throws nothing but std::bad_alloc: what is wrong
// with the file is a reason in the answers.
// Names are as the file spells them, without their versions. An address without a name is `no_symbol`, or
// `file_malformed` when the file has a symbol table that could not be used.
void resolve_symbols(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
