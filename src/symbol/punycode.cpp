#include "symbol/punycode.h"

#include <cstddef>

namespace profile {

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&out, c](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::optional<std::string> decode_punycode(std::string_view basic, std::string_view deltas) {
  constexpr std::uint64_t base = 36, min = 1, max = 26, skew = 38;
  std::u32string text(basic.begin(), basic.end());
  std::uint64_t code = 0x80, position = 0, bias = 72, damp = 700;
  for (std::size_t at = 0; at < deltas.size();) {
    std::uint64_t delta = 0, weight = 1;
    for (std::uint64_t k = base;; k += base) {
      if (at == deltas.size() || weight > UINT32_MAX) return std::nullopt;
      const char c = deltas[at++];
      const bool letter = c >= 'a' && c <= 'z';
      if (!letter && (c < '0' || c > '9')) return std::nullopt;
      const auto digit = static_cast<std::uint64_t>(letter ? c - 'a' : c - '0' + 26);
      delta += digit * weight;
      const std::uint64_t threshold = k <= bias + min ? min : k >= bias + max ? max : k - bias;
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const std::uint64_t count = text.size() + 1;
    position += delta;
    code += position / count;
    position %= count;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return std::nullopt;
    text.insert(position++, 1, static_cast<char32_t>(code));
    delta = delta / damp + delta / damp / count;
    damp = 2;
    std::uint64_t k = 0;
    for (; delta > (base - min) * max / 2; k += base) delta /= base - min;
    bias = k + (base - min + 1) * delta / (delta + skew);
  }
  std::string utf8;
  for (const char32_t c : text) append_utf8(utf8, c);
  return utf8;
}

}  // namespace profile
