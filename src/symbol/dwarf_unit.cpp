#include "symbol/dwarf_unit.h"

#include "symbol/dwarf_constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

constexpr std::size_t entry_bytes = 8192;  // most of it for texts that stand in the entry itself
constexpr std::uint64_t max_unit_bytes = std::uint64_t{256} << 20;

}  // namespace

void DwarfPlace::take(std::uint16_t name, const DwarfValue& value) {
  if (name == dwarf::at_low_pc) low = value;
  if (name == dwarf::at_high_pc) high = value;
  if (name == dwarf::at_ranges) ranges = value;
}

DwarfUnit::DwarfUnit(DwarfFile& file, DwarfFile* other, const DwarfUnitHeader& header)
    : file_(file), other_(other), header_(header), abbrevs_(file.abbrevs(header)) {
  read_root();
}

void DwarfUnit::read_root() {
  const DwarfEncoding& encoding = header_.encoding;
  if (encoding.version >= 5) {
    // What they are where the unit does not say: behind the header of the section.
    text_offsets_base_ = addresses_base_ = encoding.is_64bit ? 16 : 8;
    range_lists_base_ = encoding.is_64bit ? 20 : 12;
  }
  const std::span<const std::byte> bytes = entry(header_.offset + header_.header_bytes);
  DwarfCursor cursor(bytes);
  const DwarfAbbrev* const abbrev = abbrevs_->find(cursor.uleb());
  if (abbrev == nullptr || !file_.budget().take(entry_bytes / 8)) return;
  DwarfValue directory;
  for (const DwarfAttribute& attribute : abbrevs_->attributes(*abbrev)) {
    const DwarfValue value = read_form(cursor, attribute.form, attribute.implicit_value, encoding);
    if (cursor.failed()) break;
    place_.take(attribute.name, value);
    if (attribute.name == dwarf::at_comp_dir) directory = value;
    if (attribute.name == dwarf::at_stmt_list) line_offset_ = value.number;
    if (attribute.name == dwarf::at_str_offsets_base) text_offsets_base_ = value.number;
    if (attribute.name == dwarf::at_rnglists_base) range_lists_base_ = value.number;
    if (attribute.name == dwarf::at_addr_base || attribute.name == dwarf::at_gnu_addr_base) {
      addresses_base_ = value.number;
    }
  }
  // Only now: the bases may stand behind what needs them.
  directory_ = text(directory, bytes);
  low_ = address(place_.low).value_or(0);
}

std::span<const std::byte> DwarfUnit::load() {
  const std::uint64_t size = header_.end - header_.offset;
  if (bytes_.empty() && size <= max_unit_bytes) {
    bytes_.resize(size);
    if (!file_.section(DwarfSectionId::info).read(header_.offset, bytes_)) bytes_.clear();
  }
  return bytes_;
}

std::span<const std::byte> DwarfUnit::entry(std::uint64_t offset) {
  if (offset < header_.offset || offset >= header_.end) return {};
  if (!bytes_.empty()) return std::span(bytes_).subspan(offset - header_.offset);
  return file_.section(DwarfSectionId::info)
      .window(offset, static_cast<std::size_t>(std::min<std::uint64_t>(entry_bytes, header_.end - offset)));
}

std::optional<std::uint64_t> DwarfUnit::address(const DwarfValue& value) {
  if (value.kind == Kind::address) return value.number;
  if (value.kind != Kind::address_index || value.number > UINT32_MAX) return std::nullopt;
  const unsigned size = header_.encoding.address_bytes;
  DwarfCursor cursor(file_.section(DwarfSectionId::addr).window(addresses_base_ + value.number * size, size));
  const std::uint64_t found = cursor.fixed(size);
  return cursor.failed() ? std::nullopt : std::optional(found);
}

std::string DwarfUnit::text(const DwarfValue& value, std::span<const std::byte> entry) {
  switch (value.kind) {
    case Kind::inline_text:
      return std::string(DwarfCursor(entry, value.number).text());
    case Kind::text:
      return file_.section(DwarfSectionId::str).text(value.number);
    case Kind::line_text:
      return file_.section(DwarfSectionId::line_str).text(value.number);
    case Kind::other_text:
      return other_ == nullptr ? std::string() : other_->section(DwarfSectionId::str).text(value.number);
    case Kind::text_index: {
      if (value.number > UINT32_MAX) return {};
      const unsigned size = header_.encoding.offset_bytes();
      DwarfSection& offsets = file_.section(DwarfSectionId::str_offsets);
      DwarfCursor cursor(offsets.window(text_offsets_base_ + value.number * size, size));
      const std::uint64_t offset = cursor.fixed(size);
      return cursor.failed() ? std::string() : file_.section(DwarfSectionId::str).text(offset);
    }
    default:
      return {};
  }
}

}  // namespace profile
