// The values of attributes, in the many forms they are written in.
#pragma once

#include <cstdint>
#include <optional>

#include "symbol/dwarf_cursor.h"

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

}  // namespace profile
