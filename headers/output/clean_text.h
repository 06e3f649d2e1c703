// Makes names safe to print, in this one place, because other users' files and processes choose them. A line stays one
// line, a folded line always parses, the bytes are valid UTF-8, and no name controls a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

enum class Semicolon { keep, replace };

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // in bytes; 0: no valid UTF-8 begins here
};
// The first character of `text`, which is not empty. Overlong forms, surrogates and values above U+10FFFF are not
// valid.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

// Appends `text` to `out`. `?` replaces each control character (C0, DEL, C1), each separator that breaks lines or
// changes the direction of the text (U+2028 to U+202E, U+2066 to U+2069), each byte order mark (U+FEFF) and each byte
// that is not UTF-8. With Semicolon::replace, `:` replaces each `;`.
void append_clean(std::string& out, std::string_view text, Semicolon semicolon);
// Returns the clean text; it keeps semicolons.
[[nodiscard]] std::string clean_text(std::string_view text);
// The same of a line of source: blanks replace each tab, up to the next multiple of eight columns.
[[nodiscard]] std::string clean_source_text(std::string_view text);
// The same, but "[unknown]" for an empty name. A thread may have the empty name.
[[nodiscard]] std::string clean_name(std::string_view name);
// Appends clean text, escaped for the elements and quoted attributes of XML and HTML.
void append_markup(std::string& out, std::string_view clean);

}  // namespace profile
