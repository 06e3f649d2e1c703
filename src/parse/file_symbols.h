// Finds all that can be learnt about the code of one file. It asks its own symbol tables, the compressed table inside
// it, its debug file and its stubs, in this order. Each is asked only for what the sources before left unnamed.
#pragma once

#include <optional>
#include <span>

#include "dwarf/lines.h"
#include "elf/file.h"
#include "elf/symbol.h"
#include "parse/debug_files.h"
#include "parse/file_reader.h"
#include "support/file_bytes.h"

namespace profile {

class FileSymbols {
 public:
  // `bytes` are those of `file`. All arguments must outlive this. When `budget` is spent before every name is found, it
  // finds none: half of the symbols would give wrong names.
  FileSymbols(const FileBytes& bytes, const FileRef& file, DebugFiles& debug_files, WorkBudget& budget);

  // nullopt: not an ELF file that can be read.
  [[nodiscard]] const std::optional<ElfFile>& elf() const { return elf_; }
  // Names the code at `offsets` (ascending, distinct; addresses in a file without code). `addresses[i]` becomes the ELF
  // address of offsets[i], and `answers[i]` counts in ELF addresses. Both have the size of `offsets`. The valid ranges
  // also hold for offsets.
  void name(std::span<const FileOffset> offsets, std::span<ElfAddress> addresses, std::span<Symbol> answers);

  // Names the variables at `addresses` (ascending, distinct), from its symbol tables or those of its debug file. What
  // is not found is no_symbol.
  void name_data(std::span<const ElfAddress> addresses, std::span<Symbol> answers);

  // Source positions and inlined functions at `addresses`, from its own debug information or from its debug file. Each
  // address has one chain, which is empty where nothing is known.
  [[nodiscard]] SourceChains lines(std::span<const ElfAddress> addresses);

 private:
  void ask_in_order(std::span<const ElfAddress> addresses, std::span<Symbol> answers);
  [[nodiscard]] const DebugFile& debug_file();

  FileBytes bytes_;
  FileRef file_;
  DebugFiles& debug_files_;
  WorkBudget& budget_;
  std::optional<ElfFile> elf_;
  std::optional<DebugFile> debug_file_;  // no value: not looked for yet
};

}  // namespace profile
