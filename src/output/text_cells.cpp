// The Unicode ranges are approximate. An error costs little: a text that counts one cell too many leaves a small gap,
// and an unknown combining character takes one cell.
#include "output/text_cells.h"

#include <algorithm>
#include <cstdint>

#include "output/clean_text.h"

namespace profile {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Combining marks of the scripts in use, joiners, variation selectors, skin tones.
constexpr Range combining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},     {0x610, 0x61a},     {0x64b, 0x65f},
    {0x900, 0x903},   {0x93a, 0x94f},   {0xe31, 0xe31},     {0xe34, 0xe3a},     {0xe47, 0xe4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x2060, 0x2064},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0x1f3fb, 0x1f3ff}, {0xe0000, 0xe007f}, {0xe0100, 0xe01ef},
};
constexpr Range wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

template <std::size_t Size>
bool is_in(const Range (&ranges)[Size], std::uint32_t point) {
  const auto holds = [point](const Range& range) { return point >= range.first && point <= range.last; };
  return std::ranges::any_of(ranges, holds);
}

struct Character {
  std::size_t bytes = 1;
  std::size_t cells = 1;
};

// `text` is not empty and should be valid UTF-8. An invalid byte counts as one character.
Character first_character(std::string_view text) {
  const CodePoint point = first_code_point(text);
  if (point.size < 2) return {};
  return {.bytes = point.size, .cells = is_in(combining, point.value) ? 0U : is_in(wide, point.value) ? 2U : 1U};
}

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

}  // namespace

std::string cut_to_cells(std::string_view clean, std::size_t cells) {
  std::size_t used = 0;
  std::size_t kept = 0;  // bytes that leave one cell for the ellipsis
  std::size_t at = 0;
  while (at < clean.size()) {
    const Character character = first_character(clean.substr(at));
    if (used + character.cells > cells) break;
    used += character.cells;
    at += character.bytes;
    if (used < cells) kept = at;
  }
  if (at == clean.size()) return std::string(clean);
  return kept == 0 ? std::string() : std::string(clean.substr(0, kept)).append(ellipsis);
}

}  // namespace profile
