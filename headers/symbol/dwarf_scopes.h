// Which functions the addresses of a unit lie in: the innermost one that was inlined there, what that was inlined into,
// and so on up to the function that has code of its own. One pass over the unit's entries for all addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbol/dwarf_unit.h"

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

}  // namespace profile
