// Which unit the code at an address came from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbol/dwarf_file.h"

namespace profile {

constexpr std::uint64_t no_unit = UINT64_MAX;

// For each of `addresses`, which ascend, where its unit begins in .debug_info. Read from .debug_aranges; units that are
// not listed there (clang lists none) are asked for their own ranges, but only while an address is left without one.
[[nodiscard]] std::vector<std::uint64_t> find_units(DwarfFile& file, std::span<const std::uint64_t> addresses);

}  // namespace profile
