// read_source_lines() for sections that are already read, so that tests can make sections in memory.
#pragma once

#include <optional>
#include <span>

#include "dwarf/lines.h"
#include "dwarf/sections.h"

namespace profile {

[[nodiscard]] SourceChains read_lines_of(DwarfSections sections, std::optional<DwarfSections> other,
                                         std::span<const ElfAddress> addresses, SplitFiles* splits = nullptr,
                                         WorkBudget* budget = nullptr);

}  // namespace profile
