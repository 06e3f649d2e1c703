#include "symbol/dwarf_unit_finder.h"

#include <algorithm>
#include <unordered_set>

#include "symbol/dwarf_constants.h"
#include "symbol/dwarf_unit.h"

namespace profile {
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
      std::uint64_t length = start.u32();
      const bool is_64bit = length == UINT32_MAX;
      if (is_64bit) length = start.u64();
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
      // At 0 the linker leaves what it has dropped; both 0 end the set.
      if (begin != 0 && bytes <= UINT64_MAX - begin) give({begin, begin + bytes}, unit);
    }
  }

  void give(const DwarfRange& range, std::uint64_t unit) {
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
  std::size_t left_;  // of the addresses, without a unit
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
