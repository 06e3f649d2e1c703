// Where in the source an address stands, and which functions were inlined there: what `addr2line -i -f` says, for many
// addresses at once. A pure source: open descriptors and addresses in, positions out. Units are read one after the
// other, each once, so that memory grows with the answers and the largest unit and not with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/string_table.h"
#include "symbol/dwarf_sections.h"

namespace profile {

struct SourcePosition {
  StringId function = StringId::empty;  // as the compiler spelled it, to be demangled; empty when not known
  StringId file = StringId::empty;      // its path as the compiler knew it; empty when not known
  std::uint32_t line = 0;               // 0: not known
};

class SourceChains {
 public:
  // The innermost function first, the one that has code of its own last. Empty where nothing is known.
  [[nodiscard]] std::span<const SourcePosition> chain(std::size_t address) const {
    return std::span(positions_).subspan(slices_[address].begin, slices_[address].size);
  }
  [[nodiscard]] const StringTable& strings() const { return strings_; }
  // What was in the way, to follow the file's name and a colon; empty when nothing was.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  class Reader;
  friend SourceChains read_source_lines(int, int, std::span<const ElfAddress>);
  friend SourceChains read_source_lines(DwarfSections, std::optional<DwarfSections>, std::span<const ElfAddress>);

  struct Slice {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  std::vector<Slice> slices_;
  std::vector<SourcePosition> positions_;
  StringTable strings_;
  std::string why_;
};

// `fd`: the program or library itself, or its debug file, whichever has the debug information. `other_fd`: the file
// that its .gnu_debugaltlink names (dwz), or -1. Both stay the caller's. `addresses` may come in any order; the answer
// has theirs. Throws nothing but std::bad_alloc.
[[nodiscard]] SourceChains read_source_lines(int fd, int other_fd, std::span<const ElfAddress> addresses);
[[nodiscard]] SourceChains read_source_lines(DwarfSections sections, std::optional<DwarfSections> other,
                                             std::span<const ElfAddress> addresses);

}  // namespace profile
