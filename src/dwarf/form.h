// Reads the values of attributes in the many forms that DWARF writes them in, and the tables that say which attributes
// an entry has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dwarf/cursor.h"
#include "dwarf/sections.h"
#include "support/work_budget.h"

namespace profile {

// The sizes in a unit depend on these.
struct DwarfEncoding {
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 8;
  bool is_64bit = false;  // whether offsets have 64 bits

  [[nodiscard]] unsigned offset_bytes() const { return is_64bit ? 8 : 4; }
  friend bool operator==(const DwarfEncoding&, const DwarfEncoding&) = default;
};

struct DwarfValue {
  enum class Kind : std::uint8_t {
    none,              // no such attribute, or a kind of value that no code here needs
    constant,          // a constant, or an offset into another section: older versions do not tell them apart
    address,           // an address of the program
    address_index,     // an index into .debug_addr
    inline_text,       // a text at this place of the bytes that the entry was read from
    text,              // a text at this offset of .debug_str
    line_text,         // a text at this offset of .debug_line_str
    other_text,        // a text at this offset of .debug_str of the file of common parts (dwz)
    text_index,        // an index into .debug_str_offsets
    reference,         // an entry, by its offset from the start of its unit
    global_reference,  // an entry, by its offset in .debug_info
    other_reference,   // an entry, by its offset in .debug_info of the file of common parts
    list_index,        // an index into .debug_rnglists
  };
  Kind kind = Kind::none;
  std::uint64_t number = 0;

  explicit operator bool() const { return kind != Kind::none; }
};

// Reads one value and moves past it. Fails the cursor when the form is unknown.
DwarfValue read_form(DwarfCursor& cursor, std::uint16_t form, std::int64_t implicit_value,
                     const DwarfEncoding& encoding);
// The size of a value of that form; nullopt when the sizes differ.
std::optional<unsigned> fixed_form_bytes(std::uint16_t form, const DwarfEncoding& encoding);

// The shapes that the entries of a unit have: each entry begins with the number of its shape. When all attributes of a
// shape have fixed sizes, the reader steps over an entry at once. This makes a pass over a unit quick.
struct DwarfAttribute {
  std::uint16_t name = 0;  // 0: a number too large to be a known attribute
  std::uint16_t form = 0;
  std::int64_t implicit_value = 0;  // of DW_FORM_implicit_const
};

struct DwarfAbbrev {
  static constexpr std::uint32_t varies = UINT32_MAX;

  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  bool has_children = false;
  std::uint32_t first = 0;  // its attributes are attributes_[first] and the next, `count` in all
  std::uint32_t count = 0;
  std::uint32_t size_bytes = 0;  // of an entry without its code; or `varies`
};

class DwarfAbbrevs {
 public:
  // Reads the table at `offset`, for units of that encoding. Damage ends the table.
  DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding, WorkBudget& budget);

  // The shape with that code; nullptr when there is none. Costs something where the codes are not 1, 2, …
  [[nodiscard]] const DwarfAbbrev* find(std::uint64_t code) const;
  [[nodiscard]] std::span<const DwarfAttribute> attributes(const DwarfAbbrev& abbrev) const {
    return std::span(attributes_).subspan(abbrev.first, abbrev.count);
  }

 private:
  // False when the bytes end before the table does.
  [[nodiscard]] bool parse(DwarfCursor& cursor, const DwarfEncoding& encoding);

  WorkBudget& budget_;
  std::vector<DwarfAbbrev> abbrevs_;  // sorted by code
  std::vector<DwarfAttribute> attributes_;
};

}  // namespace profile
