// Which functions the addresses of a unit lie in: the innermost one that was inlined there, what that was inlined into,
// and so on up to the function that has code of its own. One pass over the unit's entries for all addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dwarf/unit.h"
#include "model/string_table.h"

namespace profile {

struct DwarfScope {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint64_t entry = 0;      // offset in .debug_info
  std::uint32_t caller = none;  // the scope it was inlined into; none: the function has code of its own
  std::uint32_t call_line = 0;  // where in that one, and
  std::uint64_t call_file = 0;  // in which file of the unit's line table
};

struct DwarfScopes {
  std::vector<DwarfScope> scopes;
  std::vector<std::uint32_t> innermost;  // by address; DwarfScope::none where no function holds it
};

// `addresses` ascend. Of inlining deeper than 256 functions the innermost are left out.
[[nodiscard]] DwarfScopes find_scopes(DwarfUnit& unit, std::span<const std::uint64_t> addresses);

// What functions are called. The entry of a piece of code seldom says: it refers to a declaration or to the abstract
// function, in the same unit, in another (link-time optimisation) or in the file of common parts (dwz).
class DwarfNames {
 public:
  // All must outlive this. Names go to `strings` as the compiler spelled them.
  DwarfNames(DwarfFile& file, DwarfFile* other, StringTable& strings) : file_(file), other_(other), strings_(strings) {}

  // Of the function whose entry stands at `offset`, a part of `unit`: the linkage name where there is one, so that it
  // demangles as symbols do, else the plain one; StringId::empty when there is neither.
  [[nodiscard]] StringId of(DwarfUnit& unit, std::uint64_t offset);

 private:
  struct EntryOffset {
    bool in_other = false;
    std::uint64_t offset = 0;
  };
  struct Entry {
    std::string linkage_name;
    std::string plain_name;
    std::optional<EntryOffset> refers_to;
  };
  static Entry read(DwarfUnit& unit, std::uint64_t offset, bool in_other);
  DwarfUnit* unit_holding(EntryOffset place);

  DwarfFile& file_;
  DwarfFile* other_;
  StringTable& strings_;
  std::unordered_map<std::uint64_t, StringId> known_;                    // by offset << 1 | in_other
  std::unordered_map<std::uint64_t, std::unique_ptr<DwarfUnit>> units_;  // by the same of the unit
};

}  // namespace profile
