#include "symbol/dwarf_names.h"

#include <array>

#include "symbol/dwarf_constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

// Code to abstract function to declaration to the class's declaration: honest ones are at most this far away.
constexpr int max_references = 8;
constexpr std::size_t max_known = std::size_t{1} << 16;
constexpr std::size_t max_units = 64;
constexpr std::uint64_t cost = 512;  // of an entry looked up, for the budget

}  // namespace

StringId DwarfNames::of(DwarfUnit& unit, std::uint64_t offset) {
  std::array<std::uint64_t, max_references> passed{};
  std::size_t count = 0;
  Place place{&unit.file() == other_, offset};
  StringId found = StringId::empty;
  for (; count < passed.size() && file_.budget().take(cost); ++count) {
    const std::uint64_t key = place.offset << 1 | (place.in_other ? 1 : 0);
    if (const auto known = known_.find(key); known != known_.end()) {
      if (known->second != StringId::empty) found = known->second;
      break;
    }
    passed[count] = key;
    const bool here = !place.in_other && place.offset >= unit.header().offset && place.offset < unit.header().end;
    DwarfUnit* const holder = here ? &unit : unit_holding(place);
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
  // Not the first: pieces of code are asked for once, what they refer to again and again.
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
  for (const DwarfAttribute& attribute : unit.abbrevs().attributes(*abbrev)) {
    const DwarfValue value = read_form(cursor, attribute.form, attribute.implicit_value, unit.header().encoding);
    if (cursor.failed()) break;
    switch (attribute.name) {
      case dwarf::at_linkage_name:
      case dwarf::at_mips_linkage_name:
        linkage_name = value;
        break;
      case dwarf::at_name:
        plain_name = value;
        break;
      case dwarf::at_abstract_origin:
      case dwarf::at_specification:
        if (value.kind == Kind::reference) entry.refers_to = Place{in_other, unit.header().offset + value.number};
        if (value.kind == Kind::global_reference) entry.refers_to = Place{in_other, value.number};
        if (value.kind == Kind::other_reference) entry.refers_to = Place{true, value.number};
        break;
      default:
        break;
    }
  }
  entry.linkage_name = unit.text(linkage_name, bytes);
  if (entry.linkage_name.empty()) entry.plain_name = unit.text(plain_name, bytes);
  return entry;
}

DwarfUnit* DwarfNames::unit_holding(Place place) {
  DwarfFile* const file = place.in_other ? other_ : &file_;
  if (file == nullptr) return nullptr;
  const auto header = file->unit_holding(place.offset);
  if (!header) return nullptr;
  if (units_.size() >= max_units) units_.clear();
  auto& unit = units_[header->offset << 1 | (place.in_other ? 1 : 0)];
  if (!unit) unit = std::make_unique<DwarfUnit>(*file, place.in_other ? nullptr : other_, *header);
  return unit.get();
}

}  // namespace profile
