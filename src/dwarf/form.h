// The values of attributes, in the many forms they are written in.
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

// What the sizes in a unit depend on.
struct DwarfEncoding {
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 8;
  bool is_64bit = false;  // offsets are

  [[nodiscard]] unsigned offset_bytes() const { return is_64bit ? 8 : 4; }
  friend bool operator==(const DwarfEncoding&, const DwarfEncoding&) = default;
};

struct DwarfValue {
  enum class Kind : std::uint8_t {
    none,              // there is no such attribute, or it is of a kind nobody here asks for
    constant,          // or an offset into another section, which older versions do not tell apart
    address,           // of the program
    address_index,     // into .debug_addr
    inline_text,       // at that place of the bytes the entry was read from
    text,              // at that offset of .debug_str
    line_text,         // of .debug_line_str
    other_text,        // of .debug_str of the file of common parts (dwz)
    text_index,        // into .debug_str_offsets
    reference,         // an entry, by its offset from its unit
    global_reference,  // by its offset in .debug_info
    other_reference,   // by its offset in .debug_info of the file of common parts
    list_index,        // into .debug_rnglists
  };
  Kind kind = Kind::none;
  std::uint64_t number = 0;

  explicit operator bool() const { return kind != Kind::none; }
};

// Reads one value and moves past it; fails the cursor where the form is unknown.
DwarfValue read_form(DwarfCursor& cursor, std::uint16_t form, std::int64_t implicit_value,
                     const DwarfEncoding& encoding);
// The size of a value where all of that form have one.
std::optional<unsigned> fixed_form_bytes(std::uint16_t form, const DwarfEncoding& encoding);

// The shapes that the entries of a unit take: each entry begins with the number of one. Where all attributes of a shape
// have fixed sizes an entry is stepped over at once, which is what makes a pass over a unit quick.
struct DwarfAttribute {
  std::uint16_t name = 0;  // 0: one too large for any that is known
  std::uint16_t form = 0;
  std::int64_t implicit_value = 0;  // of DW_FORM_implicit_const
};

struct DwarfAbbrev {
  static constexpr std::uint32_t varies = UINT32_MAX;

  std::uint64_t code = 0;
  std::uint16_t tag = 0;
  bool has_children = false;
  std::uint32_t first = 0;  // of its attributes, of which there are
  std::uint32_t count = 0;
  std::uint32_t size_bytes = 0;  // of an entry behind its code; or `varies`
};

class DwarfAbbrevs {
 public:
  // The table at `offset`, for units of that encoding. What is damaged ends it.
  DwarfAbbrevs(DwarfSection& section, std::uint64_t offset, const DwarfEncoding& encoding, WorkBudget& budget);

  // nullptr when there is none of that code.
  [[nodiscard]] const DwarfAbbrev* find(std::uint64_t code) const;
  [[nodiscard]] std::span<const DwarfAttribute> attributes(const DwarfAbbrev& abbrev) const {
    return std::span(attributes_).subspan(abbrev.first, abbrev.count);
  }

 private:
  // False when the bytes end before the table does.
  [[nodiscard]] bool parse(std::span<const std::byte> bytes, const DwarfEncoding& encoding);

  std::vector<DwarfAbbrev> abbrevs_;  // by code
  std::vector<DwarfAttribute> attributes_;
};

}  // namespace profile
