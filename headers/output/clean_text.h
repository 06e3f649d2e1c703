// Names come from files and processes that somebody else wrote. This is the one place that makes them safe to print: a
// line stays one line, a folded line always parses, the bytes are valid UTF-8, and no name drives a terminal.
#pragma once

#include <string>
#include <string_view>

namespace profile {

enum class Semicolon { keep, replace };

// Appends `text` to `out` with `?` in the place of each control character (C0, DEL, C1), each separator that breaks
// lines or turns the direction of the text around (U+2028 to U+202E, U+2066 to U+2069), each byte order mark (U+FEFF)
// and each byte that is not UTF-8; and, when they are to be replaced, `:` in the place of each `;`.
void append_clean(std::string& out, std::string_view text, Semicolon semicolon);
// The same as a text of its own, with its semicolons.
[[nodiscard]] std::string clean_text(std::string_view text);
// Of a name that may be empty, as that of a thread: "[unknown]" then.
[[nodiscard]] std::string clean_name(std::string_view name);

}  // namespace profile
