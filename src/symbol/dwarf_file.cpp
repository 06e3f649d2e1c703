#include "symbol/dwarf_file.h"

#include <algorithm>

#include "symbol/dwarf_constants.h"

namespace profile {
namespace {

constexpr std::size_t max_header_bytes = 64;
constexpr std::size_t max_units = std::size_t{1} << 20;  // the largest programs have some ten thousand
constexpr std::size_t max_tables = 8;

// How many bytes follow, of a unit or a table, and how large offsets in it are. nullopt: a reserved length.
std::optional<std::uint64_t> initial_length(DwarfCursor& cursor, bool& is_64bit) {
  std::uint64_t length = cursor.u32();
  is_64bit = length == 0xffffffff;
  if (is_64bit) length = cursor.u64();
  if (cursor.failed() || (!is_64bit && length >= 0xfffffff0)) return std::nullopt;
  return length;
}

}  // namespace

std::optional<DwarfUnitHeader> DwarfFile::unit_at(std::uint64_t offset) {
  DwarfSection& info = section(DwarfSectionId::info);
  DwarfCursor cursor(info.window(offset, max_header_bytes));
  DwarfUnitHeader unit{.offset = offset};
  const auto length = initial_length(cursor, unit.encoding.is_64bit);
  if (!length || *length > info.size_bytes() - offset - cursor.at()) return std::nullopt;
  unit.end = offset + cursor.at() + *length;
  unit.encoding.version = cursor.u16();
  if (unit.encoding.version < 2 || unit.encoding.version > 5) return std::nullopt;
  if (unit.encoding.version >= 5) {
    unit.type = cursor.u8();
    unit.encoding.address_bytes = cursor.u8();
    unit.abbrev_offset = cursor.offset(unit.encoding.is_64bit);
    if (unit.type == dwarf::unit_skeleton || unit.type == dwarf::unit_split_compile) cursor.skip(8);
    if (unit.type == dwarf::unit_type || unit.type == dwarf::unit_split_type) {
      cursor.skip(8 + unit.encoding.offset_bytes());
    }
  } else {
    unit.type = dwarf::unit_compile;
    unit.abbrev_offset = cursor.offset(unit.encoding.is_64bit);
    unit.encoding.address_bytes = cursor.u8();
  }
  unit.header_bytes = static_cast<std::uint8_t>(cursor.at());
  const bool known_size = unit.encoding.address_bytes == 4 || unit.encoding.address_bytes == 8;
  if (cursor.failed() || !known_size || unit.end < offset + unit.header_bytes) return std::nullopt;
  return unit;
}

const std::vector<std::uint64_t>& DwarfFile::unit_offsets() {
  if (units_listed_) return unit_offsets_;
  units_listed_ = true;
  DwarfSection& info = section(DwarfSectionId::info);
  for (std::uint64_t offset = 0; offset < info.size_bytes() && unit_offsets_.size() < max_units;) {
    DwarfCursor cursor(info.window(offset, max_header_bytes));
    bool is_64bit = false;
    const auto length = initial_length(cursor, is_64bit);
    if (!length || *length > info.size_bytes() - offset - cursor.at() || !budget_.take(max_header_bytes)) break;
    unit_offsets_.push_back(offset);  // one of an unknown version too: what follows it can be read
    offset += cursor.at() + *length;
  }
  return unit_offsets_;
}

std::optional<DwarfUnitHeader> DwarfFile::unit_holding(std::uint64_t offset) {
  const std::vector<std::uint64_t>& offsets = unit_offsets();
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), offset);
  if (after == offsets.begin()) return std::nullopt;
  const auto unit = unit_at(*(after - 1));
  if (!unit || offset < unit->offset + unit->header_bytes || offset >= unit->end) return std::nullopt;
  return unit;
}

std::shared_ptr<const DwarfAbbrevs> DwarfFile::abbrevs(const DwarfUnitHeader& unit) {
  for (const Table& table : tables_) {
    if (table.offset == unit.abbrev_offset && table.encoding == unit.encoding) return table.abbrevs;
  }
  const Table table{unit.abbrev_offset, unit.encoding,
                    std::make_shared<const DwarfAbbrevs>(section(DwarfSectionId::abbrev), unit.abbrev_offset,
                                                         unit.encoding, budget_)};
  if (tables_.size() < max_tables) {
    tables_.push_back(table);
  } else {
    tables_[next_table_++ % max_tables] = table;
  }
  return table.abbrevs;
}

}  // namespace profile
