// Names places in the data of an ELF file: variables, by its symbol tables.
#pragma once

#include <span>

#include "elf/file.h"
#include "elf/symbol.h"

namespace profile {

// `addresses` ascend and are distinct; `answers` has their size. Those that are named already stay as they are. The
// others get the smallest variable that holds the address, as the file spells it, or stay pending.
void resolve_data(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
