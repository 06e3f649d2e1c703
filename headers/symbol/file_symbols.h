// All that can be learnt of the code of one file: its own symbol tables, the compressed one inside it, its debug file,
// and its stubs, asked in this order for what the one before left unnamed.
#pragma once

#include <span>
#include <string_view>

#include "symbol/debug_files.h"
#include "symbol/dwarf_lines.h"
#include "symbol/symbol_source.h"

namespace profile {

// Names the code at `offsets` (ascending, distinct) of the file open as `fd`, which a process saw as `path`. answers[i]
// has addresses as ELF addresses; `addresses[i]` is that of offsets[i]. Both have the size of `offsets`.
void resolve_file(int fd, std::string_view path, DebugFiles& debug_files, std::span<const FileOffset> offsets,
                  std::span<ElfAddress> addresses, std::span<Symbol> answers);

// Source positions and inlined functions at `addresses` of the same file, from its own debug information or from its
// debug file; one chain an address, empty where nothing is known.
[[nodiscard]] SourceChains resolve_lines(int fd, std::string_view path, DebugFiles& debug_files,
                                         std::span<const ElfAddress> addresses);

}  // namespace profile
