// Makes the parser's answers about one file, and demangles the names in them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "model/address.h"
#include "parse/file_reader.h"
#include "parse/file_symbols.h"

namespace profile {

struct Spelling {
  bool is_plain = false;  // names stay as the file spells them; otherwise they are demangled
  // Called when only demangling is left, with the largest possible number of names.
  std::function<void(std::size_t)> demangles;
};

[[nodiscard]] NamesOfFile names_of(FileSymbols& file, std::span<const FileOffset> offsets, const Spelling& spelling);
// The names of variables, and no code.
[[nodiscard]] NamesOfFile data_names_of(FileSymbols& file, std::span<const ElfAddress> addresses,
                                        const Spelling& spelling);
[[nodiscard]] LinesOfFile lines_of(FileSymbols& file, std::span<const ElfAddress> addresses, const Spelling& spelling);

}  // namespace profile
