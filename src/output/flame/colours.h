// The colour rule of all flame graph pictures. The page (src/output/page/colours.js) follows the same rule with the
// same numbers; palette.inc has them.
//
//   Each kind of frame has a tone: hue, saturation and lightness. Each name has one of 12 shades of it:
//     shade = FNV-1a (32 bits) of the name's bytes, modulo 12;  off = shade / 11 - 1/2;
//     colour = hsl(hue + 14 off, saturation, lightness + 9 off).
//   So a function has the same colour in every picture. Process boxes and the root box use the name that they show.
//
//   In a comparison only the change of the share counts: change = share now - share before, between -1 and 1;
//     strength = min(1, sqrt(|change| / 0.1));
//     each of red, green and blue = 255 + (full - 255) strength, rounded,
//     with full = (238, 110, 86) for growth and (92, 155, 232) for shrinkage.
//   White means unchanged. A change of a tenth of the total has the full colour, and the square root makes a
//   thousandth visible.
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
inline constexpr Colour faint_ink{94, 102, 110};          // of less important text
inline constexpr Colour unsure_change{206, 210, 214};     // of boxes whose change may be chance
inline constexpr Colour comparison_paper{230, 233, 236};  // differs from white, so that white boxes are visible

[[nodiscard]] std::uint32_t hash_of_name(std::string_view name);
[[nodiscard]] Colour colour_of(FlameKind kind, std::string_view name);
// The tone of the kind without a shade, for legends.
[[nodiscard]] Colour colour_of(FlameKind kind);
[[nodiscard]] Colour colour_of_change(double share_before, double share_now);
// Words for legends and tooltips: "user", "JIT". FlameKind::tag has the clean word of RunInfo::tag.
[[nodiscard]] std::string word_of(FlameKind kind, const RunInfo& run);

}  // namespace profile
