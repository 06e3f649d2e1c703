// The shapes that the entries of a unit take: each entry begins with the number of one. Where all attributes of a shape
// have fixed sizes an entry is stepped over at once, which is what makes a pass over a unit quick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbol/dwarf_form.h"
#include "symbol/dwarf_sections.h"
#include "symbol/work_budget.h"

namespace profile {

struct DwarfAttribute {
  std::uint16_t name = 0;  // 0: one too large for any that is known
  std::uint16_t form = 0;
  std::int64_t implicit_value = 0;  // of DW_FORM_implicit_const
};

struct DwarfAbbrev {
  static constexpr std::uint32_t varies = UINT32_MAX;

  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  bool has_children = false;
  std::uint32_t first = 0;  // of its attributes, of which there are
  std::uint32_t count = 0;
  std::uint32_t size_bytes = 0;  // of an entry behind its code; or `varies`
};

class DwarfAbbrevs {
 public:
  // The table at `offset`, for units of that encoding. What is damaged ends it.
  DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding, WorkBudget& budget);

  // nullptr when there is none of that code.
  [[nodiscard]] const DwarfAbbrev* find(std::uint64_t code) const;
  [[nodiscard]] std::span<const DwarfAttribute> attributes(const DwarfAbbrev& abbrev) const {
    return std::span(attributes_).subspan(abbrev.first, abbrev.count);
  }

 private:
  // False when the bytes end before the table does.
  [[nodiscard]] bool parse(std::span<const std::byte> bytes, const DwarfEncoding& encoding);

  std::vector<DwarfAbbrev> abbrevs_;  // by code
  std::vector<DwarfAttribute> attributes_;
};

}  // namespace profile
