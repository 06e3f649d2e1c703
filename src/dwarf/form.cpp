#include "dwarf/form.h"

#include <algorithm>

#include "dwarf/constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

// The kind of a form's value, also for forms whose size is not fixed.
Kind kind_of(std::uint16_t form) {
  switch (form) {
    case dwarf::form_addr:
      return Kind::address;
    case dwarf::form_addrx:
    case dwarf::form_addrx1:
    case dwarf::form_addrx2:
    case dwarf::form_addrx3:
    case dwarf::form_addrx4:
    case dwarf::form_gnu_addr_index:
      return Kind::address_index;
    case dwarf::form_string:
      return Kind::inline_text;
    case dwarf::form_strp:
      return Kind::text;
    case dwarf::form_line_strp:
      return Kind::line_text;
    case dwarf::form_strp_sup:
    case dwarf::form_gnu_strp_alt:
      return Kind::other_text;
    case dwarf::form_strx:
    case dwarf::form_strx1:
    case dwarf::form_strx2:
    case dwarf::form_strx3:
    case dwarf::form_strx4:
    case dwarf::form_gnu_str_index:
      return Kind::text_index;
    case dwarf::form_ref1:
    case dwarf::form_ref2:
    case dwarf::form_ref4:
    case dwarf::form_ref8:
    case dwarf::form_ref_udata:
      return Kind::reference;
    case dwarf::form_ref_addr:
      return Kind::global_reference;
    case dwarf::form_ref_sup4:
    case dwarf::form_ref_sup8:
    case dwarf::form_gnu_ref_alt:
      return Kind::other_reference;
    case dwarf::form_rnglistx:
      return Kind::list_index;
    case dwarf::form_ref_sig8:  // refers to a type
    case dwarf::form_data16:
    case dwarf::form_loclistx:
      return Kind::none;
    default:
      return Kind::constant;
  }
}

}  // namespace

std::optional<unsigned> fixed_form_bytes(std::uint16_t form, const DwarfEncoding& encoding) {
  switch (form) {
    case dwarf::form_flag_present:
    case dwarf::form_implicit_const:
      return 0;
    case dwarf::form_data1:
    case dwarf::form_ref1:
    case dwarf::form_flag:
    case dwarf::form_strx1:
    case dwarf::form_addrx1:
      return 1;
    case dwarf::form_data2:
    case dwarf::form_ref2:
    case dwarf::form_strx2:
    case dwarf::form_addrx2:
      return 2;
    case dwarf::form_strx3:
    case dwarf::form_addrx3:
      return 3;
    case dwarf::form_data4:
    case dwarf::form_ref4:
    case dwarf::form_ref_sup4:
    case dwarf::form_strx4:
    case dwarf::form_addrx4:
      return 4;
    case dwarf::form_data8:
    case dwarf::form_ref8:
    case dwarf::form_ref_sup8:
    case dwarf::form_ref_sig8:
      return 8;
    case dwarf::form_data16:
      return 16;
    case dwarf::form_addr:
      return encoding.address_bytes;
    case dwarf::form_ref_addr:  // as large as an address in version 2, as an offset since
      return encoding.version <= 2 ? encoding.address_bytes : encoding.offset_bytes();
    case dwarf::form_strp:
    case dwarf::form_strp_sup:
    case dwarf::form_line_strp:
    case dwarf::form_sec_offset:
    case dwarf::form_gnu_ref_alt:
    case dwarf::form_gnu_strp_alt:
      return encoding.offset_bytes();
    default:
      return std::nullopt;
  }
}

DwarfValue read_form(DwarfCursor& cursor, std::uint16_t form, std::int64_t implicit_value,
                     const DwarfEncoding& encoding) {
  if (form == dwarf::form_indirect) {
    form = static_cast<std::uint16_t>(cursor.uleb());
    // Neither may stand behind DW_FORM_indirect: a chain of DW_FORM_indirect might never end, and
    // DW_FORM_implicit_const would have no value.
    if (form == dwarf::form_indirect || form == dwarf::form_implicit_const) form = 0;
  }
  const Kind kind = kind_of(form);
  if (form == dwarf::form_flag_present) return {kind, 1};
  if (form == dwarf::form_implicit_const) return {kind, static_cast<std::uint64_t>(implicit_value)};
  if (const auto bytes = fixed_form_bytes(form, encoding)) {
    if (kind == Kind::none || *bytes > 8) {
      cursor.skip(*bytes);
      return {};
    }
    return {kind, cursor.fixed(*bytes)};
  }
  switch (form) {
    case dwarf::form_string: {
      const std::uint64_t at = cursor.at();
      cursor.text();
      return {kind, at};
    }
    case dwarf::form_sdata:
      return {kind, static_cast<std::uint64_t>(cursor.sleb())};
    case dwarf::form_udata:
    case dwarf::form_ref_udata:
    case dwarf::form_strx:
    case dwarf::form_addrx:
    case dwarf::form_rnglistx:
    case dwarf::form_loclistx:
    case dwarf::form_gnu_addr_index:
    case dwarf::form_gnu_str_index:
      return {kind, cursor.uleb()};
    case dwarf::form_block1:
      cursor.skip(cursor.u8());
      return {};
    case dwarf::form_block2:
      cursor.skip(cursor.u16());
      return {};
    case dwarf::form_block4:
      cursor.skip(cursor.u32());
      return {};
    case dwarf::form_block:
    case dwarf::form_exprloc:
      cursor.skip(cursor.uleb());
      return {};
    default:
      cursor.skip(UINT64_MAX);  // its length is unknown, so nothing behind it can be read
      return {};
  }
}

namespace {

// One compilation unit has a few hundred shapes, a few kilobytes. A link-time optimised program has somewhat more.
constexpr std::size_t first_bytes = std::size_t{16} << 10;
constexpr std::size_t max_bytes = std::size_t{4} << 20;

std::uint16_t narrow(std::uint64_t number) { return number <= UINT16_MAX ? static_cast<std::uint16_t>(number) : 0; }

}  // namespace

DwarfAbbrevs::DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding,
                           WorkBudget& budget) {
  // Nothing says how long the table is. So more and more is read until its end has been seen.
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
  // Compilers number the shapes 1, 2, …
  if (code - 1 < abbrevs_.size() && abbrevs_[code - 1].code == code) return &abbrevs_[code - 1];
  const auto found =
      std::lower_bound(abbrevs_.begin(), abbrevs_.end(), code,
                       [](const DwarfAbbrev& abbrev, std::uint64_t wanted) { return abbrev.code < wanted; });
  return found != abbrevs_.end() && found->code == code ? &*found : nullptr;
}

}  // namespace profile
