// The colours of flame graphs, for all pictures. The page, src/output/page/colours.js, follows the same rule in its own
// language, with the same numbers:
//
//   A kind of frame has a tone, hue, saturation and lightness: palette.inc has them, and all numbers of this rule.
//   A name has one of 12 shades of it: shade = FNV-1a (32 bits) of the name's bytes, modulo 12; off = shade / 11 - 1/2;
//   the colour is hsl(hue + 14 off, saturation, lightness + 9 off). So a function has one colour in every picture. What
//   stands for a process, and the root box, is named as it is shown.
//
//   Of a comparison the change of the share of the total alone decides: change = share now - share before, between -1
//   and 1; strength = min(1, sqrt(|change| / 0.1)); each of red, green and blue is 255 + (full - 255) strength,
//   rounded, with full = (238, 110, 86) for what grew and (92, 155, 232) for what shrank. White is unchanged. It does
//   not depend on what else is in the picture, a tenth of the total is full colour, and the square root lets a
//   thousandth be seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "output/flame/table.h"

namespace profile {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour paper{255, 255, 255};
inline constexpr Colour ink{27, 31, 35};                  // on paper and on every box
inline constexpr Colour faint_ink{94, 102, 110};          // of what is said in passing
inline constexpr Colour comparison_paper{230, 233, 236};  // on which white boxes are seen

[[nodiscard]] std::uint32_t hash_of_name(std::string_view name);
[[nodiscard]] Colour colour_of(FlameKind kind, std::string_view name);
// The tone of the kind itself, for legends.
[[nodiscard]] Colour colour_of(FlameKind kind);
[[nodiscard]] Colour colour_of_change(double share_before, double share_now);
// "user", "JIT": of legends and tooltips. What a tag is goes by what was measured; clean.
[[nodiscard]] std::string word_of(FlameKind kind, const RunInfo& run);

}  // namespace profile
