// The rule is explained in colours.h.
#include "output/flame/colours.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "output/clean_text.h"

namespace profile {
namespace {

// Hue in degrees, saturation and lightness in per cent.
struct Tone {
  double hue = 0;
  double saturation = 0;
  double lightness = 0;
};

struct Kind {
  Tone tone;
  std::string_view word;
};

// In the order of FlameKind.
#define RULE(name, value)
#define COLOUR(name, red, green, blue)
#define KIND(key, word, hue, saturation, lightness, ...) {{hue, saturation, lightness}, word},
constexpr Kind kinds[] = {
#include "output/flame/palette.inc"
};
static_assert(kinds[static_cast<std::size_t>(FlameKind::jit)].word == "JIT");
#undef KIND
#undef RULE
#undef COLOUR

#define KIND(...)
#define RULE(name, value) constexpr double name = value;  // NOLINT(bugprone-macro-parentheses): it declares the name
#define COLOUR(name, red, green, blue) constexpr Colour name{red, green, blue};
#include "output/flame/palette.inc"
#undef KIND
#undef RULE
#undef COLOUR

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

// The definition of hsl() in CSS.
Colour rgb_of(const Tone& tone) {
  const double saturation = tone.saturation / 100;
  const double lightness = tone.lightness / 100;
  const double amplitude = saturation * std::min(lightness, 1 - lightness);
  const auto channel = [&](double n) {
    const double k = std::fmod(n + tone.hue / 30, 12);
    return byte_of(255 * (lightness - amplitude * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}))));
  };
  return {channel(0), channel(8), channel(4)};
}

}  // namespace

std::uint32_t hash_of_name(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

Colour colour_of(FlameKind kind, std::string_view name) {
  const double off = static_cast<double>(hash_of_name(name) % static_cast<std::uint32_t>(shades)) / (shades - 1) - 0.5;
  Tone tone = kinds[static_cast<std::size_t>(kind)].tone;
  tone.hue += off * hue_range;
  tone.lightness += off * lightness_range;
  return rgb_of(tone);
}

Colour colour_of(FlameKind kind) { return rgb_of(kinds[static_cast<std::size_t>(kind)].tone); }

Colour colour_of_change(double share_before, double share_now) {
  const double change = share_now - share_before;
  const double strength = std::min(1.0, std::sqrt(std::abs(change) / full_change));
  const Colour& full = change > 0 ? full_growth : full_shrinkage;
  const auto channel = [strength](std::uint8_t end) { return byte_of(255 + (end - 255.0) * strength); };
  return {channel(full.red), channel(full.green), channel(full.blue)};
}

std::string word_of(FlameKind kind, const RunInfo& run) {
  if (kind == FlameKind::tag) return clean_text(run.tag);
  return std::string(kinds[static_cast<std::size_t>(kind)].word);
}

}  // namespace profile
