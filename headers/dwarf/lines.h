// Finds for many addresses at once where each stands in the source and which functions were inlined there, as
// `addr2line -i -f` does. It is pure: open descriptors and addresses go in, positions come out. Each unit is read once,
// one after the other, so memory grows with the answers and the largest unit, not with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwarf/split_files.h"
#include "model/address.h"
#include "model/source_position.h"
#include "model/string_table.h"
#include "support/file_bytes.h"
#include "support/work_budget.h"

namespace profile {

class DwarfSections;

// When functions are inlined deeper, the innermost are left out.
inline constexpr std::uint32_t max_inlining = 256;

class SourceChains {
 public:
  // The innermost function comes first; the last function has code of its own. Empty where nothing is known. Functions
  // are not demangled.
  [[nodiscard]] std::span<const SourcePosition> chain(std::size_t address) const {
    return std::span(positions_).subspan(slices_[address].begin, slices_[address].size);
  }
  [[nodiscard]] const StringTable& strings() const { return strings_; }
  // Why something could not be read, to follow the file's name and a colon. Empty when all could be read.
  [[nodiscard]] const std::string& why() const { return why_; }
  // Files with parts of the debug information that were asked for and could not be read. Their inlined functions are
  // missing.
  [[nodiscard]] const UnreadSplits& unread_splits() const { return unread_splits_; }

 private:
  class Reader;
  friend SourceChains read_source_lines(const FileBytes&, const FileBytes&, std::span<const ElfAddress>, SplitFiles*,
                                        WorkBudget*);
  friend SourceChains read_lines_of(DwarfSections, std::optional<DwarfSections>, std::span<const ElfAddress>,
                                    SplitFiles*, WorkBudget*);

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

// `file`: the program or library itself, or its debug file: the one that has the debug information. `other`: the file
// that its .gnu_debugaltlink names (dwz), if there is one. `splits`: opens what was split off; nullptr leaves that out.
// `addresses` may come in any order; the answer has the same order. Throws nothing but std::bad_alloc.
// `budget` pays for the work, and it is never spent whole: what lies in the files may be too much, but the names that
// it paid for before stay good. nullptr: only the size of the files limits the work.
[[nodiscard]] SourceChains read_source_lines(const FileBytes& file, const FileBytes& other,
                                             std::span<const ElfAddress> addresses, SplitFiles* splits = nullptr,
                                             WorkBudget* budget = nullptr);

}  // namespace profile
