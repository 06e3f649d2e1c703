// Names from an ELF file's own symbol tables: .symtab, for what that leaves .dynsym, and labels of hand-written code
// last. The tables are streamed and only what the addresses asked for needs is kept, so a large program costs no
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "elf/file.h"
#include "elf/symbol_source.h"

namespace profile {

class ElfSymbols : public SymbolSource {
 public:
  // `file` must outlive this.
  explicit ElfSymbols(const ElfFile& file) : file_(file) {}

  // Names come as the file spells them, versions and all. What has none is `no_symbol`, or `file_malformed` when a
  // symbol table is there and could not be used.
  void resolve(std::span<const ElfAddress> addresses, std::span<Symbol> answers) override;

 private:
  const ElfFile& file_;
};

}  // namespace profile
