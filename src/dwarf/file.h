// One file with debug information: its sections, where its units begin, and the abbreviation tables in use. The other
// readers in this folder get at the file through it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dwarf/form.h"
#include "dwarf/sections.h"
#include "support/work_budget.h"

namespace profile {

struct DwarfUnitHeader {
  std::uint64_t offset = 0;  // where the unit begins in .debug_info
  std::uint64_t end = 0;     // where the next unit begins
  std::uint64_t abbrev_offset = 0;
  DwarfEncoding encoding{};
  std::uint64_t split_id = 0;  // since version 5: the same in a skeleton and in the part that was split off it
  std::uint8_t type = 0;
  std::uint8_t header_bytes = 0;
};

class DwarfFile {
 public:
  // `budget` must outlive this.
  DwarfFile(DwarfSections sections, WorkBudget& budget) : sections_(std::move(sections)), budget_(budget) {
    sections_.pay_from(&budget);
  }
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  [[nodiscard]] DwarfSection& section(DwarfSectionId id) { return sections_[id]; }
  [[nodiscard]] const DwarfSections& sections() const { return sections_; }
  [[nodiscard]] WorkBudget& budget() { return budget_; }

  // The header of the unit at `offset`; nullopt where no unit of a known version begins.
  [[nodiscard]] std::optional<DwarfUnitHeader> unit_at(std::uint64_t offset);
  // Where the units begin, ascending. The first call costs a pass over all headers.
  [[nodiscard]] const std::vector<std::uint64_t>& unit_offsets();
  // The unit that holds the entry at `offset`; nullopt when there is none.
  [[nodiscard]] std::optional<DwarfUnitHeader> unit_holding(std::uint64_t offset);
  [[nodiscard]] std::shared_ptr<const DwarfAbbrevs> abbrevs(const DwarfUnitHeader& unit);

 private:
  struct Table {
    std::uint64_t offset = 0;
    DwarfEncoding encoding;
    std::shared_ptr<const DwarfAbbrevs> abbrevs;
  };

  DwarfSections sections_;
  WorkBudget& budget_;
  bool units_listed_ = false;
  std::vector<std::uint64_t> unit_offsets_;
  std::vector<Table> tables_;  // the last few; with dwz all units share one
};

// Stands for the unit of an address that has none.
constexpr std::uint64_t no_unit = UINT64_MAX;

// For each of `addresses`, which ascend, where its unit begins in .debug_info, or no_unit. Reads .debug_aranges first.
// Units that are not listed there (clang lists none) are asked for their own ranges, but only while an address has no
// unit yet.
[[nodiscard]] std::vector<std::uint64_t> find_units(DwarfFile& file, std::span<const std::uint64_t> addresses);

}  // namespace profile
