#include "dwarf/file.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "dwarf/constants.h"
#include "dwarf/unit.h"

namespace profile {
namespace {

constexpr std::size_t max_header_bytes = 64;
constexpr std::size_t max_units = std::size_t{1} << 20;  // the largest programs have some ten thousand
constexpr std::size_t max_tables = 8;

}  // namespace

std::optional<DwarfUnitHeader> DwarfFile::unit_at(std::uint64_t offset) {
  DwarfSection& info = section(DwarfSectionId::info);
  DwarfCursor cursor(info.window(offset, max_header_bytes));
  DwarfUnitHeader unit{.offset = offset};
  const std::uint64_t length = cursor.initial_length(unit.encoding.is_64bit);
  if (cursor.failed() || length > info.size_bytes() - offset - cursor.at()) return std::nullopt;
  unit.end = offset + cursor.at() + length;
  unit.encoding.version = cursor.u16();
  if (unit.encoding.version < 2 || unit.encoding.version > 5) return std::nullopt;
  if (unit.encoding.version >= 5) {
    unit.type = cursor.u8();
    unit.encoding.address_bytes = cursor.u8();
    unit.abbrev_offset = cursor.offset(unit.encoding.is_64bit);
    if (unit.type == dwarf::unit_skeleton || unit.type == dwarf::unit_split_compile) unit.split_id = cursor.u64();
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
    const std::uint64_t length = cursor.initial_length(is_64bit);
    if (cursor.failed() || length > info.size_bytes() - offset - cursor.at()) break;
    if (!budget_.take(max_header_bytes)) break;
    unit_offsets_.push_back(offset);  // a unit of an unknown version, too: what follows it can be read
    offset += cursor.at() + length;
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
  if (tables_.size() == max_tables) tables_.erase(tables_.begin());
  tables_.push_back(table);
  return table.abbrevs;
}

namespace {

constexpr std::size_t max_set_bytes = std::size_t{16} << 20;  // of one unit's addresses in .debug_aranges

class Finder {
 public:
  Finder(DwarfFile& file, std::span<const std::uint64_t> addresses)
      : file_(file), addresses_(addresses), units_(addresses.size(), no_unit), left_(addresses.size()) {}

  void from_aranges() {
    DwarfSection& section = file_.section(DwarfSectionId::aranges);
    for (std::uint64_t offset = 0; offset < section.size_bytes();) {
      DwarfCursor start(section.window(offset, 12));
      bool is_64bit = false;
      const std::uint64_t length = start.initial_length(is_64bit);
      if (start.failed() || length > max_set_bytes) return;
      const std::uint64_t whole = start.at() + length;
      const auto set = section.window(offset, whole);
      if (set.size() < whole || !file_.budget().take(whole)) return;
      take_set(DwarfCursor(set, start.at()), is_64bit);
      offset += whole;
    }
  }

  void from_units() {
    if (left_ == 0) return;
    std::vector<DwarfRange> ranges;
    for (const std::uint64_t offset : file_.unit_offsets()) {
      if (left_ == 0 || file_.budget().spent()) return;
      if (listed_.contains(offset)) continue;
      const auto header = file_.unit_at(offset);
      if (!header || (header->type != dwarf::unit_compile && header->type != dwarf::unit_skeleton)) continue;
      DwarfUnit unit(file_, nullptr, *header);
      ranges.clear();
      unit.ranges(unit.place(), ranges);
      for (const DwarfRange& range : ranges) give(range, offset);
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> units() && { return std::move(units_); }

 private:
  // `cursor` stands behind the length.
  void take_set(DwarfCursor cursor, bool is_64bit) {
    if (cursor.u16() != 2) return;
    const std::uint64_t unit = cursor.offset(is_64bit);
    const unsigned size = cursor.u8();
    const unsigned segment_bytes = cursor.u8();
    if (cursor.failed() || (size != 4 && size != 8) || segment_bytes != 0) return;
    // Pairs are aligned to their own size, counted from the start of the set.
    const std::size_t pair = std::size_t{2} * size;
    cursor.skip((pair - cursor.at() % pair) % pair);
    listed_.insert(unit);
    while (!cursor.failed() && cursor.left() >= pair) {
      const std::uint64_t begin = cursor.fixed(size);
      const std::uint64_t bytes = cursor.fixed(size);
      // The linker leaves functions that it has dropped at 0. A pair of zeros ends the set.
      if (begin != 0 && bytes <= UINT64_MAX - begin) give({begin, begin + bytes}, unit);
    }
  }

  void give(const DwarfRange& range, std::uint64_t unit) {
    if (!file_.budget().take(std::bit_width(addresses_.size()))) return;
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), range.begin);
    for (; at != addresses_.end() && *at < range.end && file_.budget().take(1); ++at) {
      std::uint64_t& found = units_[static_cast<std::size_t>(at - addresses_.begin())];
      if (found != no_unit) continue;
      found = unit;
      --left_;
    }
  }

  DwarfFile& file_;
  std::span<const std::uint64_t> addresses_;
  std::vector<std::uint64_t> units_;
  std::size_t left_;  // addresses that have no unit yet
  std::unordered_set<std::uint64_t> listed_;
};

}  // namespace

std::vector<std::uint64_t> find_units(DwarfFile& file, std::span<const std::uint64_t> addresses) {
  Finder finder(file, addresses);
  finder.from_aranges();
  finder.from_units();
  return std::move(finder).units();
}

}  // namespace profile
