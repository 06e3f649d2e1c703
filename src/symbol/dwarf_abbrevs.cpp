#include "symbol/dwarf_abbrevs.h"

#include <algorithm>

#include "symbol/dwarf_constants.h"

namespace profile {
namespace {

// One compilation unit has a few hundred shapes, a few kilobytes; a link-time optimised program somewhat more.
constexpr std::size_t first_bytes = std::size_t{16} << 10;
constexpr std::size_t max_bytes = std::size_t{4} << 20;

std::uint16_t narrow(std::uint64_t number) { return number <= UINT16_MAX ? static_cast<std::uint16_t>(number) : 0; }

}  // namespace

DwarfAbbrevs::DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding,
                           WorkBudget& budget) {
  // How long the table is nothing says, so more is read until its end has been seen.
  for (std::size_t bytes = first_bytes; bytes <= max_bytes; bytes *= 4) {
    const std::span<const std::byte> window = section.window(offset, bytes);
    abbrevs_.clear();
    attributes_.clear();
    if (!budget.take(window.size() / 8)) return;  // most tables are shorter than what is read for them
    const bool whole = parse(window, encoding);
    if (!budget.take(attributes_.size() * 2)) return;
    if (whole || window.size() < bytes) break;
  }
  const auto by_code = [](const DwarfAbbrev& a, const DwarfAbbrev& b) { return a.code < b.code; };
  if (!std::is_sorted(abbrevs_.begin(), abbrevs_.end(), by_code)) {
    std::stable_sort(abbrevs_.begin(), abbrevs_.end(), by_code);
  }
}

bool DwarfAbbrevs::parse(std::span<const std::byte> bytes, const DwarfEncoding& encoding) {
  DwarfCursor cursor(bytes);
  while (cursor.left() != 0) {
    DwarfAbbrev abbrev;
    abbrev.code = cursor.uleb();
    if (abbrev.code == 0) return !cursor.failed();
    abbrev.tag = narrow(cursor.uleb());
    abbrev.has_children = cursor.u8() != 0;
    abbrev.first = static_cast<std::uint32_t>(attributes_.size());
    while (true) {
      const std::uint64_t name = cursor.uleb();
      const std::uint64_t form = cursor.uleb();
      if (cursor.failed()) return false;
      if (name == 0 && form == 0) break;
      DwarfAttribute attribute{.name = narrow(name), .form = narrow(form)};
      if (form == dwarf::form_implicit_const) attribute.implicit_value = cursor.sleb();
      attributes_.push_back(attribute);
      ++abbrev.count;
      const auto size = fixed_form_bytes(attribute.form, encoding);
      if (!size) abbrev.size_bytes = DwarfAbbrev::varies;
      if (abbrev.size_bytes != DwarfAbbrev::varies) abbrev.size_bytes += *size;
    }
    abbrevs_.push_back(abbrev);
  }
  return false;
}

const DwarfAbbrev* DwarfAbbrevs::find(std::uint64_t code) const {
  // Compilers number them 1, 2, …
  if (code - 1 < abbrevs_.size() && abbrevs_[code - 1].code == code) return &abbrevs_[code - 1];
  const auto found =
      std::lower_bound(abbrevs_.begin(), abbrevs_.end(), code,
                       [](const DwarfAbbrev& abbrev, std::uint64_t wanted) { return abbrev.code < wanted; });
  return found != abbrevs_.end() && found->code == code ? &*found : nullptr;
}

}  // namespace profile
