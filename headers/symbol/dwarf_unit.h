// One unit of debug information (what the compiler made of one source file, mostly) and what its values mean:
// addresses, ranges and texts stand in other sections, at bases that the unit names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbol/dwarf_file.h"
#include "symbol/dwarf_form.h"

namespace profile {

struct DwarfRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The attributes that say where the code of an entry lies.
struct DwarfPlace {
  DwarfValue low;
  DwarfValue high;
  DwarfValue ranges;

  // Takes the attribute if it is one of them.
  void take(std::uint16_t name, const DwarfValue& value);
};

class DwarfUnit {
 public:
  // `file` is the file's own, `other` that of common parts (dwz) or nullptr; both must outlive this.
  DwarfUnit(DwarfFile& file, DwarfFile* other, const DwarfUnitHeader& header);

  [[nodiscard]] const DwarfUnitHeader& header() const { return header_; }
  [[nodiscard]] const DwarfAbbrevs& abbrevs() const { return *abbrevs_; }
  [[nodiscard]] DwarfFile& file() const { return file_; }
  [[nodiscard]] DwarfFile* other() const { return other_; }
  [[nodiscard]] const DwarfPlace& place() const { return place_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::optional<std::uint64_t> line_offset() const { return line_offset_; }

  // All its bytes, its header included; kept from the first call on. Empty when they cannot be read.
  [[nodiscard]] std::span<const std::byte> load();
  // Those of the entry at `offset` of .debug_info and some behind it. Valid until the next call for this file.
  [[nodiscard]] std::span<const std::byte> entry(std::uint64_t offset);

  // Appends the ranges of the code; not the empty ones, and none from address 0 on, which is where linkers leave the
  // functions they have dropped.
  void ranges(const DwarfPlace& place, std::vector<DwarfRange>& out);
  // `entry` are the bytes the value was read from. Empty when there is none.
  [[nodiscard]] std::string text(const DwarfValue& value, std::span<const std::byte> entry);

 private:
  void read_root();
  [[nodiscard]] std::optional<std::uint64_t> address(const DwarfValue& value);
  void ranges_before_5(std::uint64_t offset, std::vector<DwarfRange>& out);
  void ranges_since_5(std::uint64_t offset, std::vector<DwarfRange>& out);

  DwarfFile& file_;
  DwarfFile* other_;
  DwarfUnitHeader header_;
  std::shared_ptr<const DwarfAbbrevs> abbrevs_;
  std::vector<std::byte> bytes_;
  DwarfPlace place_;
  std::string directory_;
  std::optional<std::uint64_t> line_offset_;
  std::uint64_t low_ = 0;  // what its ranges count from
  std::uint64_t text_offsets_base_ = 0;
  std::uint64_t addresses_base_ = 0;
  std::uint64_t range_lists_base_ = 0;
};

}  // namespace profile
