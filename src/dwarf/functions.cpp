// Walks over the entries in their order, without recursion. The walk also looks below functions that hold none of the
// addresses, because nested functions stand there whose code lies elsewhere.
#include "dwarf/functions.h"

#include <algorithm>
#include <array>
#include <bit>

#include "dwarf/constants.h"
#include "dwarf/lines.h"

namespace profile {
namespace {

constexpr std::size_t max_nesting = 4096;

class Walk {
 public:
  Walk(DwarfUnit& unit, std::span<const std::uint64_t> addresses, DwarfScopes& found)
      : unit_(unit), addresses_(addresses), found_(found), range_bytes_(addresses.size(), UINT64_MAX) {
    found.innermost.assign(addresses.size(), DwarfScope::none);
  }

  void run() {
    const std::span<const std::byte> bytes = unit_.load();
    DwarfCursor cursor(bytes, unit_.header().header_bytes);
    std::size_t depth = 0;
    while (cursor.left() != 0 && !unit_.file().budget().spent()) {
      const std::uint64_t entry = unit_.header().offset + cursor.at();
      const std::size_t begin = cursor.at();
      const std::uint64_t code = cursor.uleb();
      if (code == 0) {
        if (depth <= 1 || !unit_.file().budget().take(1))
          return;  // the unit's own children have ended; padding may follow
        --depth;
        while (!functions_.empty() && functions_.back().depth > depth) functions_.pop_back();
        continue;
      }
      const DwarfAbbrev* const abbrev = unit_.abbrevs().find(code);
      if (abbrev == nullptr) return;
      const bool is_inlined = abbrev->tag == dwarf::tag_inlined_subroutine;
      if (abbrev->tag == dwarf::tag_subprogram || (is_inlined && may_be_asked_for())) {
        read_function(cursor, *abbrev, {.entry = entry, .depth = depth + 1, .is_inlined = is_inlined});
      } else if (abbrev->size_bytes != DwarfAbbrev::varies) {
        cursor.skip(abbrev->size_bytes);
      } else {
        unit_.read_attributes(cursor, *abbrev, [](std::uint16_t, const DwarfValue&) {});
      }
      if (cursor.failed() || !unit_.file().budget().take(cursor.at() - begin)) return;
      if (abbrev->has_children && ++depth > max_nesting) return;
      if (!abbrev->has_children && depth == 0) return;  // a unit with a single entry
    }
  }

 private:
  // A function whose children are being walked, or whose entry is being read.
  struct Function {
    std::uint64_t entry = 0;
    std::size_t depth = 0;  // of its children
    bool is_inlined = false;
    bool holds_any = false;                  // of the addresses
    std::uint32_t inlining = 0;              // how deep it is inlined
    std::uint32_t scope = DwarfScope::none;  // made when the first address needs it
    std::uint64_t call_file = 0;
    std::uint32_t call_line = 0;
  };

  // Whether an inlined function here can hold an address: its code lies within the function that it was inlined into.
  [[nodiscard]] bool may_be_asked_for() const {
    return !functions_.empty() && functions_.back().holds_any && functions_.back().inlining < max_inlining;
  }

  void read_function(DwarfCursor& cursor, const DwarfAbbrev& abbrev, Function function) {
    CodeAttributes place;
    unit_.read_attributes(cursor, abbrev, [&](std::uint16_t name, const DwarfValue& value) {
      place.take(name, value);
      if (name == dwarf::at_call_file) function.call_file = value.number;
      if (name == dwarf::at_call_line) {
        function.call_line = static_cast<std::uint32_t>(std::min<std::uint64_t>(value.number, UINT32_MAX));
      }
    });
    if (cursor.failed()) return;
    if (function.is_inlined) {
      function.inlining = functions_.back().inlining + 1;
      // Its own ranges may miss ranges of functions that are inlined deeper, so those are looked at all the same.
      function.holds_any = true;
    }
    functions_.push_back(function);
    ranges_.clear();
    unit_.ranges(place, ranges_);
    for (const DwarfRange& range : ranges_) give(range);
    if (!abbrev.has_children) functions_.pop_back();
  }

  // Gives the function that was read last the addresses in `range` that no smaller range holds.
  void give(const DwarfRange& range) {
    if (!unit_.file().budget().take(std::bit_width(addresses_.size()))) return;
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), range.begin);
    for (; at != addresses_.end() && *at < range.end && unit_.file().budget().take(1); ++at) {
      functions_.back().holds_any = true;
      const auto index = static_cast<std::size_t>(at - addresses_.begin());
      const std::uint64_t bytes = range.end - range.begin;
      if (bytes >= range_bytes_[index] && !inside(found_.innermost[index])) continue;
      range_bytes_[index] = bytes;
      found_.innermost[index] = scope_of(functions_.size() - 1);
    }
  }

  // Whether the function that was read last was inlined into that scope, directly or through other functions.
  [[nodiscard]] bool inside(std::uint32_t scope) const {
    for (std::size_t i = functions_.size(); i-- > 0 && unit_.file().budget().take(1);) {
      if (functions_[i].scope == scope) return true;
      if (!functions_[i].is_inlined) return false;
    }
    return false;
  }

  std::uint32_t scope_of(std::size_t index) {
    std::size_t first = index;
    while (first > 0 && functions_[first].is_inlined && functions_[first].scope == DwarfScope::none) --first;
    for (; first <= index; ++first) {
      Function& function = functions_[first];
      if (function.scope != DwarfScope::none) continue;
      function.scope = static_cast<std::uint32_t>(found_.scopes.size());
      DwarfScope scope{.entry = function.entry, .call_line = function.call_line, .call_file = function.call_file};
      if (function.is_inlined && first > 0) scope.caller = functions_[first - 1].scope;
      found_.scopes.push_back(scope);
    }
    return functions_[index].scope;
  }

  DwarfUnit& unit_;
  std::span<const std::uint64_t> addresses_;
  DwarfScopes& found_;
  std::vector<std::uint64_t> range_bytes_;  // [i]: the size of the range that holds addresses_[i]
  std::vector<Function> functions_;         // around the entry that is being read, outermost first
  std::vector<DwarfRange> ranges_;
};

}  // namespace

DwarfScopes find_scopes(DwarfUnit& unit, std::span<const std::uint64_t> addresses) {
  DwarfScopes found;
  Walk(unit, addresses, found).run();
  return found;
}

namespace {

using Kind = DwarfValue::Kind;

// How many references are followed for one name: from the code to the abstract function, to the declaration, to the
// declaration in the class. Honest files need no more.
constexpr int max_references = 8;
constexpr std::size_t max_known = std::size_t{1} << 16;
constexpr std::size_t max_held_units = 64;
constexpr std::uint64_t cost = 512;  // what the budget pays for one entry that is looked up

}  // namespace

StringId DwarfNames::of(DwarfUnit& unit, std::uint64_t offset) {
  std::array<std::uint64_t, max_references> passed{};
  std::size_t count = 0;
  EntryOffset place{&unit.file() == other_, offset};
  StringId found = StringId::empty;
  for (; count < passed.size() && file_.budget().take(cost); ++count) {
    const std::uint64_t key = place.offset << 1 | (place.in_other ? 1 : 0);
    if (const auto known = known_.find(key); known != known_.end()) {
      if (known->second != StringId::empty) found = known->second;
      break;
    }
    passed[count] = key;
    const bool here = !place.in_other && place.offset >= unit.header().offset && place.offset < unit.header().end;
    // A unit that was split off refers to nothing outside itself.
    DwarfUnit* const holder = here ? &unit : (unit.is_split() ? nullptr : unit_holding(place));
    if (holder == nullptr) break;
    const Entry entry = read(*holder, place.offset, place.in_other);
    if (!entry.linkage_name.empty()) {
      found = strings_.intern(entry.linkage_name);
    } else if (!entry.plain_name.empty() && found == StringId::empty) {
      found = strings_.intern(entry.plain_name);
    }
    if (!entry.linkage_name.empty() || !entry.refers_to) {
      ++count;
      break;
    }
    place = *entry.refers_to;
  }
  // The first entry is not remembered: a piece of code is asked for once, but the entries that it refers to are asked
  // for again and again.
  if (known_.size() > max_known) known_.clear();
  for (std::size_t i = 1; i < count; ++i) known_[passed[i]] = found;
  return found;
}

DwarfNames::Entry DwarfNames::read(DwarfUnit& unit, std::uint64_t offset, bool in_other) {
  Entry entry;
  const std::span<const std::byte> bytes = unit.entry(offset);
  DwarfCursor cursor(bytes);
  const DwarfAbbrev* const abbrev = unit.abbrevs().find(cursor.uleb());
  if (abbrev == nullptr) return entry;
  DwarfValue linkage_name;
  DwarfValue plain_name;
  unit.read_attributes(cursor, *abbrev, [&](std::uint16_t name, const DwarfValue& value) {
    switch (name) {
      case dwarf::at_linkage_name:
      case dwarf::at_mips_linkage_name:
        linkage_name = value;
        break;
      case dwarf::at_name:
        plain_name = value;
        break;
      case dwarf::at_abstract_origin:
      case dwarf::at_specification:
        if (value.kind == Kind::reference) entry.refers_to = EntryOffset{in_other, unit.header().offset + value.number};
        if (value.kind == Kind::global_reference) entry.refers_to = EntryOffset{in_other, value.number};
        if (value.kind == Kind::other_reference) entry.refers_to = EntryOffset{true, value.number};
        break;
      default:
        break;
    }
  });
  entry.linkage_name = unit.text(linkage_name, bytes);
  if (entry.linkage_name.empty()) entry.plain_name = unit.text(plain_name, bytes);
  return entry;
}

DwarfUnit* DwarfNames::unit_holding(EntryOffset place) {
  DwarfFile* const file = place.in_other ? other_ : &file_;
  if (file == nullptr) return nullptr;
  const auto header = file->unit_holding(place.offset);
  if (!header) return nullptr;
  if (units_.size() >= max_held_units) units_.clear();
  auto& unit = units_[header->offset << 1 | (place.in_other ? 1 : 0)];
  if (!unit) unit = std::make_unique<DwarfUnit>(*file, place.in_other ? nullptr : other_, *header);
  return unit.get();
}

}  // namespace profile
