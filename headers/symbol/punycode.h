// Letters beyond ASCII in Rust's names: RFC 3492 with the digits a-z, 0-9, into UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profile {

// `basic`: the ASCII characters; `deltas`: where the others go. nullopt when that is no such code. Quadratic in the
// length.
[[nodiscard]] std::optional<std::string> decode_punycode(std::string_view basic, std::string_view deltas);
// `c` is a valid code point.
void append_utf8(std::string& out, std::uint32_t c);

}  // namespace profile
