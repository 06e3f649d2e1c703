// The other way round than everything else here: from a name to where the file has it, for probes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "symbol/debug_files.h"
#include "symbol/elf_file.h"

namespace profile {

struct NamedPlace {
  enum class Kind : std::uint8_t {
    function,
    resolver,  // it only chooses the function that is meant, once, when the program starts (IFUNC)
    data
  };
  std::string name;  // as the file spells it, without a version
  ElfAddress address;
  std::uint64_t size_bytes = 0;  // 0: not known
  Kind kind = Kind::function;
};

struct NameSearch {
  // By address, each once: versions of a function, or static functions that happen to share a name. Empty: there is
  // none of that name.
  std::vector<NamedPlace> places;
  // When it is empty: names that there are and that are not much longer, for a suggestion.
  std::vector<std::string> names;
};

// Looks for `name` in the symbol tables of the file open as `fd`, then in those that are elsewhere (as file_symbols.h
// lists them). A name that none has as it stands is compared with the demangled ones, with and without parameters.
[[nodiscard]] NameSearch find_by_name(const ElfFile& file, int fd, std::string_view path, DebugFiles& debug_files,
                                      std::string_view name);

// Where the byte at `address` lies in the file; nullopt when no loaded segment has it from there.
[[nodiscard]] std::optional<FileOffset> file_offset_of(const ElfFile& file, ElfAddress address);

}  // namespace profile
