// What functions are called. The entry of a piece of code seldom says: it refers to a declaration or to the abstract
// function, in the same unit, in another (link-time optimisation) or in the file of common parts (dwz).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/string_table.h"
#include "symbol/dwarf_unit.h"

namespace profile {

class DwarfNames {
 public:
  // All must outlive this. Names go to `strings` as the compiler spelled them.
  DwarfNames(DwarfFile& file, DwarfFile* other, StringTable& strings) : file_(file), other_(other), strings_(strings) {}

  // Of the function whose entry stands at `offset`, a part of `unit`: the linkage name where there is one, so that it
  // demangles as symbols do, else the plain one; StringId::empty when there is neither.
  [[nodiscard]] StringId of(DwarfUnit& unit, std::uint64_t offset);

 private:
  struct Place {
    bool in_other = false;
    std::uint64_t offset = 0;
  };
  struct Entry {
    std::string linkage_name;
    std::string plain_name;
    std::optional<Place> refers_to;
  };
  static Entry read(DwarfUnit& unit, std::uint64_t offset, bool in_other);
  DwarfUnit* unit_holding(Place place);

  DwarfFile& file_;
  DwarfFile* other_;
  StringTable& strings_;
  std::unordered_map<std::uint64_t, StringId> known_;                    // by offset << 1 | in_other
  std::unordered_map<std::uint64_t, std::unique_ptr<DwarfUnit>> units_;  // by the same of the unit
};

}  // namespace profile
