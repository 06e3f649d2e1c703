// One unit of debug information (mostly what the compiler made of one source file) and the meaning of its values:
// addresses, ranges and texts stand in other sections, at bases that the unit names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwarf/file.h"
#include "dwarf/form.h"

namespace profile {

struct DwarfRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The attributes that say where the code of an entry lies.
struct CodeAttributes {
  DwarfValue low;
  DwarfValue high;
  DwarfValue ranges;

  // Takes the attribute if it is one of these three.
  void take(std::uint16_t name, const DwarfValue& value);
};

class DwarfUnit;

// What a unit in a .dwo or .dwp lacks.
struct DwarfSplitOff {
  DwarfUnit* skeleton = nullptr;         // in the program; has the addresses and, before version 5, the range lists
  std::uint64_t text_offsets_begin = 0;  // where the unit's part of .debug_str_offsets begins
  std::uint64_t range_lists_begin = 0;   // where the unit's part of .debug_rnglists begins
};

class DwarfUnit {
 public:
  // `file` holds the unit. `other` is the file of common parts (dwz), or nullptr. `split`: for a unit that was split
  // off its skeleton. All of them must outlive this.
  DwarfUnit(DwarfFile& file, DwarfFile* other, const DwarfUnitHeader& header, const DwarfSplitOff& split = {});

  [[nodiscard]] const DwarfUnitHeader& header() const { return header_; }
  [[nodiscard]] const DwarfAbbrevs& abbrevs() const { return *abbrevs_; }
  [[nodiscard]] DwarfFile& file() const { return file_; }
  [[nodiscard]] const CodeAttributes& place() const { return place_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::optional<std::uint64_t> line_offset() const { return line_offset_; }

  [[nodiscard]] bool is_split() const { return split_.skeleton != nullptr; }
  // Of a skeleton: the file that has the rest, relative to directory(). Otherwise empty.
  [[nodiscard]] const std::string& split_name() const { return split_name_; }
  [[nodiscard]] std::optional<std::uint64_t> split_id() const { return split_id_; }

  // All bytes of the unit, its header included. They are kept from the first call on. Empty when they cannot be read.
  [[nodiscard]] std::span<const std::byte> load();
  // The bytes of the entry at `offset` of .debug_info, and some behind it. Valid until the next call for this file.
  [[nodiscard]] std::span<const std::byte> entry(std::uint64_t offset);

  // Calls visit(name, value) for each attribute of an entry, until one cannot be read. `cursor` stands behind the code
  // of the entry. Many attributes may have no bytes, so each of them is paid for, and each byte.
  template <class Visit>
  void read_attributes(DwarfCursor& cursor, const DwarfAbbrev& abbrev, Visit visit) {
    const std::size_t begin = cursor.at();
    for (const DwarfAttribute& attribute : abbrevs_->attributes(abbrev)) {
      const DwarfValue value = read_form(cursor, attribute.form, attribute.implicit_value, header_.encoding);
      if (cursor.failed()) break;
      visit(attribute.name, value);
    }
    file_.budget().take(abbrev.count + (cursor.at() - begin));
  }

  // Appends the ranges of the code, except empty ranges and ranges that begin at address 0: linkers leave the functions
  // that they dropped there.
  void ranges(const CodeAttributes& place, std::vector<DwarfRange>& out);
  // The text of `value`; empty when there is none. `entry`: the bytes that the value was read from.
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
  DwarfSplitOff split_;
  CodeAttributes place_;
  std::string directory_;
  std::string split_name_;
  std::optional<std::uint64_t> split_id_;
  std::optional<std::uint64_t> line_offset_;
  std::uint64_t low_ = 0;  // the address that its ranges count from
  std::uint64_t text_offsets_base_ = 0;
  std::uint64_t addresses_base_ = 0;
  std::uint64_t range_lists_base_ = 0;
  std::uint64_t split_ranges_base_ = 0;  // before version 5: where the ranges of its split part begin
};

}  // namespace profile
