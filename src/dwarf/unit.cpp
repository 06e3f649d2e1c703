#include "dwarf/unit.h"

#include <algorithm>

#include "dwarf/constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

constexpr std::size_t entry_bytes = 8192;  // read for one entry; most are for texts that stand in the entry itself
constexpr std::uint64_t max_unit_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t unit_steps = 256;  // what it costs to begin with a unit, beside what is read

// Reads from a table of numbers of that size, which begins at `base`.
std::optional<std::uint64_t> number_in(DwarfSection& table, std::uint64_t base, std::uint64_t index, unsigned size) {
  if (index > UINT32_MAX) return std::nullopt;
  DwarfCursor cursor(table.window(base + index * size, size));
  const std::uint64_t found = cursor.fixed(size);
  return cursor.failed() ? std::nullopt : std::optional(found);
}

}  // namespace

void CodeAttributes::take(std::uint16_t name, const DwarfValue& value) {
  if (name == dwarf::at_low_pc) low = value;
  if (name == dwarf::at_high_pc) high = value;
  if (name == dwarf::at_ranges) ranges = value;
}

DwarfUnit::DwarfUnit(DwarfFile& file, DwarfFile* other, const DwarfUnitHeader& header, const DwarfSplitOff& split)
    : file_(file), other_(other), header_(header), abbrevs_(file.abbrevs(header)), split_(split) {
  read_root();
}

void DwarfUnit::read_root() {
  const DwarfEncoding& encoding = header_.encoding;
  if (encoding.version >= 5) {
    // The bases when the unit does not name them: just behind the header of the section.
    text_offsets_base_ = addresses_base_ = encoding.is_64bit ? 16 : 8;
    range_lists_base_ = encoding.is_64bit ? 20 : 12;
    split_id_ = header_.split_id;
  }
  text_offsets_base_ += split_.text_offsets_begin;
  range_lists_base_ += split_.range_lists_begin;
  const std::span<const std::byte> bytes = entry(header_.offset + header_.header_bytes);
  DwarfCursor cursor(bytes);
  const DwarfAbbrev* const abbrev = abbrevs_->find(cursor.uleb());
  if (abbrev == nullptr || !file_.budget().take(unit_steps)) return;
  DwarfValue directory;
  DwarfValue split_name;
  read_attributes(cursor, *abbrev, [&](std::uint16_t name, const DwarfValue& value) {
    place_.take(name, value);
    if (name == dwarf::at_comp_dir) directory = value;
    if (name == dwarf::at_dwo_name || name == dwarf::at_gnu_dwo_name) split_name = value;
    if (name == dwarf::at_gnu_dwo_id) split_id_ = value.number;
    if (name == dwarf::at_gnu_ranges_base) split_ranges_base_ = value.number;
    if (name == dwarf::at_stmt_list) line_offset_ = value.number;
    if (name == dwarf::at_str_offsets_base) text_offsets_base_ = value.number;
    if (name == dwarf::at_rnglists_base) range_lists_base_ = value.number;
    if (name == dwarf::at_addr_base || name == dwarf::at_gnu_addr_base) addresses_base_ = value.number;
  });
  // These come last: the bases may stand behind the attributes that need them.
  directory_ = text(directory, bytes);
  split_name_ = text(split_name, bytes);
  low_ = is_split() ? split_.skeleton->low_ : address(place_.low).value_or(0);
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
  if (is_split()) return split_.skeleton->address(value);
  if (value.kind != Kind::address_index) return std::nullopt;
  return number_in(file_.section(DwarfSectionId::addr), addresses_base_, value.number, header_.encoding.address_bytes);
}

std::string DwarfUnit::text(const DwarfValue& value, std::span<const std::byte> entry) {
  switch (value.kind) {
    case Kind::inline_text: {
      const auto rest = entry.subspan(std::min<std::uint64_t>(value.number, entry.size()));
      const std::string_view text(reinterpret_cast<const char*>(rest.data()), std::min(rest.size(), max_text_bytes));
      const std::string_view shown = text.substr(0, text.find('\0'));
      file_.budget().take(shown.size());
      return std::string(shown);
    }
    case Kind::text:
      return file_.section(DwarfSectionId::str).text(value.number);
    case Kind::line_text:
      return file_.section(DwarfSectionId::line_str).text(value.number);
    case Kind::other_text:
      return other_ == nullptr ? std::string() : other_->section(DwarfSectionId::str).text(value.number);
    case Kind::text_index: {
      const auto offset = number_in(file_.section(DwarfSectionId::str_offsets), text_offsets_base_, value.number,
                                    header_.encoding.offset_bytes());
      return offset ? file_.section(DwarfSectionId::str).text(*offset) : std::string();
    }
    default:
      return {};
  }
}

// Finds where the code of an entry lies: one range in its attributes, or a list in a section of its own. Version 5
// writes the list in another way than the versions before.
namespace {

constexpr std::size_t max_ranges = std::size_t{1} << 20;  // of one entry
constexpr std::size_t max_entry_bytes = 32;               // of one entry of a list
constexpr std::size_t list_window_bytes = 4096;

void add(std::uint64_t begin, std::uint64_t end, std::vector<DwarfRange>& out) {
  if (begin != 0 && begin < end) out.push_back({begin, end});
}

// Walks a list of ranges. Only a window of the list is held at a time.
class List {
 public:
  List(DwarfSection& section, std::uint64_t offset, WorkBudget& budget)
      : section_(section), offset_(offset), budget_(budget) {}

  // The cursor at the next entry; nullptr at the end of the section.
  DwarfCursor* next() {
    if (cursor_.failed() || !budget_.take(4)) return nullptr;
    if (cursor_.left() < max_entry_bytes && !at_end_) {
      offset_ += cursor_.at();
      const auto bytes = section_.window(offset_, list_window_bytes);
      at_end_ = bytes.size() < list_window_bytes;
      cursor_ = DwarfCursor(bytes);
    }
    return cursor_.left() == 0 ? nullptr : &cursor_;
  }

 private:
  DwarfSection& section_;
  std::uint64_t offset_;
  WorkBudget& budget_;
  DwarfCursor cursor_;
  bool at_end_ = false;
};

}  // namespace

void DwarfUnit::ranges(const CodeAttributes& place, std::vector<DwarfRange>& out) {
  if (place.ranges) {
    std::uint64_t offset = place.ranges.number;
    if (place.ranges.kind == Kind::list_index) {
      const auto found = number_in(file_.section(DwarfSectionId::rnglists), range_lists_base_, offset,
                                   header_.encoding.offset_bytes());
      if (!found) return;
      offset = range_lists_base_ + *found;
    } else {
      offset += split_.range_lists_begin;
    }
    return header_.encoding.version >= 5 ? ranges_since_5(offset, out) : ranges_before_5(offset, out);
  }
  const auto low = address(place.low);
  if (!low || !place.high) return;
  const auto high = place.high.kind == Kind::constant ? std::optional(*low + place.high.number) : address(place.high);
  if (high) add(*low, *high, out);
}

void DwarfUnit::ranges_before_5(std::uint64_t offset, std::vector<DwarfRange>& out) {
  const unsigned size = header_.encoding.address_bytes;
  const std::uint64_t base_follows = size == 8 ? UINT64_MAX : UINT32_MAX;
  std::uint64_t base = low_;
  const DwarfUnit& holder = is_split() ? *split_.skeleton : *this;
  if (is_split()) offset += holder.split_ranges_base_;
  List list(holder.file_.section(DwarfSectionId::ranges), offset, file_.budget());
  while (DwarfCursor* const cursor = list.next()) {
    const std::uint64_t begin = cursor->fixed(size);
    const std::uint64_t end = cursor->fixed(size);
    if (cursor->failed() || (begin == 0 && end == 0) || out.size() >= max_ranges) return;
    if (begin == base_follows) {
      base = end;
    } else if (begin < end) {
      add(base + begin, base + end, out);
    }
  }
}

void DwarfUnit::ranges_since_5(std::uint64_t offset, std::vector<DwarfRange>& out) {
  const unsigned size = header_.encoding.address_bytes;
  std::uint64_t base = low_;
  // An address that cannot be found is 0. A range that begins at 0 is not added.
  const auto indexed = [this](DwarfCursor& cursor) {
    return address({Kind::address_index, cursor.uleb()}).value_or(0);
  };
  List list(file_.section(DwarfSectionId::rnglists), offset, file_.budget());
  while (DwarfCursor* const cursor = list.next()) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    switch (cursor->u8()) {
      case dwarf::range_base_addressx:
        base = indexed(*cursor);
        break;
      case dwarf::range_base_address:
        base = cursor->fixed(size);
        break;
      case dwarf::range_startx_endx:
        begin = indexed(*cursor);
        end = indexed(*cursor);
        break;
      case dwarf::range_startx_length:
        begin = indexed(*cursor);
        end = begin + cursor->uleb();
        break;
      case dwarf::range_offset_pair:
        begin = base + cursor->uleb();
        end = base + cursor->uleb();
        break;
      case dwarf::range_start_end:
        begin = cursor->fixed(size);
        end = cursor->fixed(size);
        break;
      case dwarf::range_start_length:
        begin = cursor->fixed(size);
        end = begin + cursor->uleb();
        break;
      default:  // the end, or an entry that cannot be stepped over
        return;
    }
    if (cursor->failed() || out.size() >= max_ranges) return;
    add(begin, end, out);
  }
}

}  // namespace profile
