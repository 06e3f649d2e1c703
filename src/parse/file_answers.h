// What the parser answers about one file.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "model/address.h"
#include "parse/file_reader.h"
#include "parse/file_symbols.h"

namespace profile {

struct Spelling {
  bool is_plain = false;  // names are as the file spells them; else demangled
  // Called when all that is left is to demangle names, of which there are that many at most.
  std::function<void(std::size_t)> demangles;
};

[[nodiscard]] NamesOfFile names_of(FileSymbols& file, std::span<const FileOffset> offsets, const Spelling& spelling);
[[nodiscard]] LinesOfFile lines_of(FileSymbols& file, std::span<const ElfAddress> addresses, const Spelling& spelling);

}  // namespace profile
