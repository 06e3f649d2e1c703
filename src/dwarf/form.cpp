#include "dwarf/form.h"

#include <algorithm>
#include <array>
#include <bit>

#include "dwarf/constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

// How a value is written: in so many bytes, or in one of these ways.
enum Written : std::uint8_t {
  as_address = 32,
  as_offset,
  as_address_or_offset,  // as large as an address in version 2, as an offset since
  as_uleb,
  as_sleb,
  as_text,
  as_block,  // behind its length; likewise with lengths of 1, 2 and 4 bytes
  as_block1,
  as_block2,
  as_block4,
  unknown
};

struct Form {
  Kind kind = Kind::none;
  std::uint8_t written = unknown;
};

constexpr auto forms = [] {
  std::array<Form, dwarf::form_addrx4 + 1> all;
  all[dwarf::form_addr] = {Kind::address, as_address};
  all[dwarf::form_block2] = {Kind::none, as_block2};
  all[dwarf::form_block4] = {Kind::none, as_block4};
  all[dwarf::form_data2] = {Kind::constant, 2};
  all[dwarf::form_data4] = {Kind::constant, 4};
  all[dwarf::form_data8] = {Kind::constant, 8};
  all[dwarf::form_string] = {Kind::inline_text, as_text};
  all[dwarf::form_block] = {Kind::none, as_block};
  all[dwarf::form_block1] = {Kind::none, as_block1};
  all[dwarf::form_data1] = {Kind::constant, 1};
  all[dwarf::form_flag] = {Kind::constant, 1};
  all[dwarf::form_sdata] = {Kind::constant, as_sleb};
  all[dwarf::form_strp] = {Kind::text, as_offset};
  all[dwarf::form_udata] = {Kind::constant, as_uleb};
  all[dwarf::form_ref_addr] = {Kind::global_reference, as_address_or_offset};
  all[dwarf::form_ref1] = {Kind::reference, 1};
  all[dwarf::form_ref2] = {Kind::reference, 2};
  all[dwarf::form_ref4] = {Kind::reference, 4};
  all[dwarf::form_ref8] = {Kind::reference, 8};
  all[dwarf::form_ref_udata] = {Kind::reference, as_uleb};
  all[dwarf::form_sec_offset] = {Kind::constant, as_offset};
  all[dwarf::form_exprloc] = {Kind::none, as_block};
  all[dwarf::form_flag_present] = {Kind::constant, 0};
  all[dwarf::form_strx] = {Kind::text_index, as_uleb};
  all[dwarf::form_addrx] = {Kind::address_index, as_uleb};
  all[dwarf::form_ref_sup4] = {Kind::other_reference, 4};
  all[dwarf::form_strp_sup] = {Kind::other_text, as_offset};
  all[dwarf::form_data16] = {Kind::none, 16};
  all[dwarf::form_line_strp] = {Kind::line_text, as_offset};
  all[dwarf::form_ref_sig8] = {Kind::none, 8};  // refers to a type
  all[dwarf::form_implicit_const] = {Kind::constant, 0};
  all[dwarf::form_loclistx] = {Kind::none, as_uleb};
  all[dwarf::form_rnglistx] = {Kind::list_index, as_uleb};
  all[dwarf::form_ref_sup8] = {Kind::other_reference, 8};
  all[dwarf::form_strx1] = {Kind::text_index, 1};
  all[dwarf::form_strx2] = {Kind::text_index, 2};
  all[dwarf::form_strx3] = {Kind::text_index, 3};
  all[dwarf::form_strx4] = {Kind::text_index, 4};
  all[dwarf::form_addrx1] = {Kind::address_index, 1};
  all[dwarf::form_addrx2] = {Kind::address_index, 2};
  all[dwarf::form_addrx3] = {Kind::address_index, 3};
  all[dwarf::form_addrx4] = {Kind::address_index, 4};
  return all;
}();

Form form_of(std::uint16_t number) {
  switch (number) {
    case dwarf::form_gnu_addr_index:
      return forms[dwarf::form_addrx];
    case dwarf::form_gnu_str_index:
      return forms[dwarf::form_strx];
    case dwarf::form_gnu_ref_alt:
      return {Kind::other_reference, as_offset};
    case dwarf::form_gnu_strp_alt:
      return {Kind::other_text, as_offset};
    default:
      return number < forms.size() ? forms[number] : Form{};
  }
}

}  // namespace

std::optional<unsigned> fixed_form_bytes(std::uint16_t form, const DwarfEncoding& encoding) {
  const unsigned written = form_of(form).written;
  switch (written) {
    case as_address:
      return encoding.address_bytes;
    case as_offset:
      return encoding.offset_bytes();
    case as_address_or_offset:
      return encoding.version <= 2 ? encoding.address_bytes : encoding.offset_bytes();
    default:
      return written < as_address ? std::optional(written) : std::nullopt;
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
  const auto [kind, written] = form_of(form);
  if (form == dwarf::form_flag_present) return {kind, 1};
  if (form == dwarf::form_implicit_const) return {kind, static_cast<std::uint64_t>(implicit_value)};
  if (const auto bytes = fixed_form_bytes(form, encoding)) {
    if (kind == Kind::none || *bytes > 8) {
      cursor.skip(*bytes);
      return {};
    }
    return {kind, cursor.fixed(*bytes)};
  }
  switch (written) {
    case as_uleb:
      return {kind, cursor.uleb()};
    case as_sleb:
      return {kind, static_cast<std::uint64_t>(cursor.sleb())};
    case as_text: {
      const std::uint64_t at = cursor.at();
      cursor.text();
      return {kind, at};
    }
    case as_block:
      cursor.skip(cursor.uleb());
      return {};
    case as_block1:
      cursor.skip(cursor.u8());
      return {};
    case as_block2:
      cursor.skip(cursor.u16());
      return {};
    case as_block4:
      cursor.skip(cursor.u32());
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
constexpr std::uint64_t search_steps = 32;  // of the shape with a code

std::uint16_t narrow(std::uint64_t number) { return number <= UINT16_MAX ? static_cast<std::uint16_t>(number) : 0; }

}  // namespace

DwarfAbbrevs::DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding,
                           WorkBudget& budget)
    : budget_(budget) {
  // Nothing says how long the table is. So more and more is read until its end has been seen.
  for (std::size_t bytes = first_bytes; bytes <= max_bytes; bytes *= 4) {
    const std::span<const std::byte> window = section.window(offset, bytes);
    abbrevs_.clear();
    attributes_.clear();
    DwarfCursor cursor(window);
    const bool whole = parse(cursor, encoding);
    if (!budget.take(cursor.at() * 2)) return;
    if (whole || window.size() < bytes) break;
  }
  if (std::ranges::is_sorted(abbrevs_, {}, &DwarfAbbrev::code)) return;
  if (!budget.take(abbrevs_.size() * std::bit_width(abbrevs_.size()))) {
    abbrevs_.clear();
    return;
  }
  std::ranges::stable_sort(abbrevs_, {}, &DwarfAbbrev::code);
}

bool DwarfAbbrevs::parse(DwarfCursor& cursor, const DwarfEncoding& encoding) {
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
  if (abbrevs_.empty() || code > abbrevs_.back().code || !budget_.take(search_steps)) return nullptr;
  const auto found = std::ranges::lower_bound(abbrevs_, code, {}, &DwarfAbbrev::code);
  return found != abbrevs_.end() && found->code == code ? &*found : nullptr;
}

}  // namespace profile
