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

#include "dwarf/split_files.h"
#include "model/address.h"
#include "model/string_table.h"
#include "support/file_bytes.h"

namespace profile {

class DwarfSections;

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
  // Files with parts of the debug information that were asked for and not read: the inlined functions are missing.
  [[nodiscard]] const UnreadSplits& unread_splits() const { return unread_splits_; }

 private:
  class Reader;
  friend SourceChains read_source_lines(const FileBytes&, const FileBytes&, std::span<const ElfAddress>, SplitFiles*);
  friend SourceChains read_lines_of(DwarfSections, std::optional<DwarfSections>, std::span<const ElfAddress>,
                                    SplitFiles*);

  struct Slice {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  std::vector<Slice> slices_;
  std::vector<SourcePosition> positions_;
  StringTable strings_;
  std::string why_;
  UnreadSplits unread_splits_;
};

// `file`: the program or library itself, or its debug file, whichever has the debug information. `other`: the file that
// its .gnu_debugaltlink names (dwz), if there is one. `splits`: opens what was split off, nullptr to
// leave that out. `addresses` may come in any order; the answer has theirs. Throws nothing but std::bad_alloc.
[[nodiscard]] SourceChains read_source_lines(const FileBytes& file, const FileBytes& other,
                                             std::span<const ElfAddress> addresses, SplitFiles* splits = nullptr);

}  // namespace profile
