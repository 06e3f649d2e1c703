// All that can be learnt of the code of one file: its own symbol tables, the compressed one inside it, its debug file,
// and its stubs, asked in this order for what the one before left unnamed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "symbol/debug_files.h"
#include "symbol/dwarf_lines.h"
#include "symbol/elf_file.h"
#include "symbol/symbol_source.h"

namespace profile {

class FileSymbols {
 public:
  // The file open as `fd`, which a process saw as `path`. All four must outlive this. When `budget` is spent before
  // every name is found, it finds none: half of the symbols give wrong ones.
  FileSymbols(int fd, std::string_view path, DebugFiles& debug_files, WorkBudget& budget);

  // In lower-case hex; empty when there is none, or no ELF file.
  [[nodiscard]] std::string build_id() const { return elf_ ? elf_->build_id() : std::string(); }
  // Names the code at `offsets` (ascending, distinct). answers[i] has addresses as ELF addresses, `addresses[i]` is
  // that of offsets[i]. Both have the size of `offsets`. Reaches count for offsets, too.
  void name(std::span<const FileOffset> offsets, std::span<ElfAddress> addresses, std::span<Symbol> answers);

  // Source positions and inlined functions at `addresses`, from its own debug information or from its debug file; one
  // chain an address, empty where nothing is known.
  [[nodiscard]] SourceChains lines(std::span<const ElfAddress> addresses);

 private:
  void ask_in_order(std::span<const ElfAddress> addresses, std::span<Symbol> answers);
  [[nodiscard]] const Fd& debug_file();

  int fd_;
  std::string_view path_;
  DebugFiles& debug_files_;
  WorkBudget& budget_;
  std::optional<ElfFile> elf_;
  std::optional<Fd> debug_file_;  // none: not looked for
};

}  // namespace profile
