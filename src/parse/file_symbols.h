// All that can be learnt of the code of one file: its own symbol tables, the compressed one inside it, its debug file,
// and its stubs, asked in this order for what the one before left unnamed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwarf/lines.h"
#include "elf/file.h"
#include "elf/symbol_source.h"
#include "parse/debug_files.h"
#include "parse/file_reader.h"
#include "support/file_bytes.h"

namespace profile {

class FileSymbols {
 public:
  // `bytes` are those of `file`. All must outlive this. When `budget` is spent before every name is found, it finds
  // none: half of the symbols give wrong ones.
  FileSymbols(const FileBytes& bytes, const FileRef& file, DebugFiles& debug_files, WorkBudget& budget);

  // nullopt: it is none.
  [[nodiscard]] const std::optional<ElfFile>& elf() const { return elf_; }
  // Names the code at `offsets` (ascending, distinct). answers[i] has addresses as ELF addresses, `addresses[i]` is
  // that of offsets[i]. Both have the size of `offsets`. Reaches count for offsets, too.
  void name(std::span<const FileOffset> offsets, std::span<ElfAddress> addresses, std::span<Symbol> answers);

  // Source positions and inlined functions at `addresses`, from its own debug information or from its debug file; one
  // chain an address, empty where nothing is known.
  [[nodiscard]] SourceChains lines(std::span<const ElfAddress> addresses);

 private:
  void ask_in_order(std::span<const ElfAddress> addresses, std::span<Symbol> answers);
  [[nodiscard]] const DebugFile& debug_file();

  FileBytes bytes_;
  FileRef file_;
  DebugFiles& debug_files_;
  WorkBudget& budget_;
  std::optional<ElfFile> elf_;
  std::optional<DebugFile> debug_file_;  // none: not looked for
};

}  // namespace profile
