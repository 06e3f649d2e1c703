// Names the stubs that a linker makes for calls into other files, which no symbol table names: `puts@plt`. Each stub is
// followed to its slot and from there to the relocation that fills the slot in, because the order of the two tables
// is the same only in the simplest files.
#pragma once

#include <span>

#include "elf/file.h"
#include "elf/symbol_source.h"

namespace profile {

class PltSymbols : public SymbolSource {
 public:
  // `file` must outlive this: the file that is mapped, not its debug file, which has no code.
  explicit PltSymbols(const ElfFile& file) : file_(file) {}

  // What it has no name for keeps the reason it came with; if it came pending, that is `no_symbol`.
  void resolve(std::span<const ElfAddress> addresses, std::span<Symbol> answers) override;

 private:
  const ElfFile& file_;
};

}  // namespace profile
