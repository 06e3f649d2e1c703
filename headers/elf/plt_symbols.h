// Names the stubs that a linker makes for calls into other files (`puts@plt`), because no symbol table names them. Each
// stub is followed to its slot, and from there to the relocation that fills the slot in. The order of the stubs does
// not help: it is the order of the relocations only in the simplest files.
#pragma once

#include <span>

#include "elf/file.h"
#include "elf/symbol.h"

namespace profile {

// As resolve_symbols(). `file` is the file that is mapped, not its debug file, which has no code. An address that gets
// no name keeps its reason; if it was pending, it becomes `no_symbol`.
void resolve_stubs(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers);

}  // namespace profile
