// Where the code of an entry lies: one range in its attributes, or a list in a section of its own, which is written in
// one way up to version 4 and in another since.
#include <algorithm>

#include "symbol/dwarf_constants.h"
#include "symbol/dwarf_unit.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

constexpr std::size_t max_ranges = std::size_t{1} << 20;  // of one entry
constexpr std::size_t max_entry_bytes = 32;               // of a list
constexpr std::size_t window_bytes = 4096;

void add(std::uint64_t begin, std::uint64_t end, std::vector<DwarfRange>& out) {
  if (begin != 0 && begin < end) out.push_back({begin, end});
}

// Walks a list that is longer than what is held of it at a time.
class List {
 public:
  List(DwarfSection& section, std::uint64_t offset, WorkBudget& budget)
      : section_(section), offset_(offset), budget_(budget) {}

  // Where the next entry begins; nullptr at the end of the section.
  DwarfCursor* next() {
    if (cursor_.failed() || !budget_.take(4)) return nullptr;
    if (cursor_.left() < max_entry_bytes && !at_end_) {
      offset_ += cursor_.at();
      const auto bytes = section_.window(offset_, window_bytes);
      at_end_ = bytes.size() < window_bytes;
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

void DwarfUnit::ranges(const DwarfPlace& place, std::vector<DwarfRange>& out) {
  if (place.ranges) {
    std::uint64_t offset = place.ranges.number;
    if (place.ranges.kind == Kind::list_index) {
      if (offset > UINT32_MAX) return;
      const unsigned size = header_.encoding.offset_bytes();
      DwarfSection& lists = file_.section(DwarfSectionId::rnglists);
      DwarfCursor cursor(lists.window(range_lists_base_ + offset * size, size));
      offset = range_lists_base_ + cursor.fixed(size);
      if (cursor.failed()) return;
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
  List list(file_.section(DwarfSectionId::ranges), offset, file_.budget());
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
  // What cannot be found is 0, and a range from there on is none.
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
      default:  // the end, or what cannot be stepped over
        return;
    }
    if (cursor->failed() || out.size() >= max_ranges) return;
    add(begin, end, out);
  }
}

}  // namespace profile
