// Finds the functions that the addresses of a unit lie in: the innermost function that was inlined there, the function
// that this one was inlined into, and so on up to the function that has code of its own. One pass over the unit's
// entries answers all addresses.
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

  std::uint64_t entry = 0;      // its offset in .debug_info
  std::uint32_t caller = none;  // the scope it was inlined into; none: the function has code of its own
  std::uint32_t call_line = 0;  // the line of the call in the caller
  std::uint64_t call_file = 0;  // the file of the call: its number in the unit's line table
};

struct DwarfScopes {
  std::vector<DwarfScope> scopes;
  std::vector<std::uint32_t> innermost;  // [i]: of addresses[i]; DwarfScope::none where no function holds it
};

// `addresses` ascend. When functions are inlined more than max_inlining deep, the innermost are left out.
[[nodiscard]] DwarfScopes find_scopes(DwarfUnit& unit, std::span<const std::uint64_t> addresses);

// Finds the names of functions. The entry of a piece of code seldom has the name. It refers to a declaration or to the
// abstract function, in the same unit, in another unit (link-time optimisation) or in the file of common parts (dwz).
class DwarfNames {
 public:
  // All arguments must outlive this. Names go to `strings` as the compiler spelled them.
  DwarfNames(DwarfFile& file, DwarfFile* other, StringTable& strings) : file_(file), other_(other), strings_(strings) {}

  // The name of the function whose entry stands at `offset`, within `unit`. It is the linkage name, so that it
  // demangles as symbols do, or else the plain name. StringId::empty when there is neither.
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
  std::unordered_map<std::uint64_t, StringId> known_;                    // the key is offset << 1 | in_other
  std::unordered_map<std::uint64_t, std::unique_ptr<DwarfUnit>> units_;  // the same key, with the offset of the unit
};

}  // namespace profile
