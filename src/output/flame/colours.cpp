// The rule is told in the header.
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

// By FlameKind.
constexpr Kind kinds[] = {
    {{22, 88, 72}, "user"},   {{207, 58, 72}, "kernel"}, {{54, 80, 68}, "inlined"},  {{142, 44, 68}, "JIT"},
    {{30, 6, 80}, "unnamed"}, {{275, 42, 80}, "state"},  {{215, 10, 84}, "process"},
};

constexpr std::uint32_t shades = 12;
constexpr double hue_range = 14;
constexpr double lightness_range = 9;

constexpr double full_change = 0.1;
constexpr Colour full_growth{238, 110, 86};
constexpr Colour full_shrinkage{92, 155, 232};

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

// As CSS defines hsl().
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
  const double off = static_cast<double>(hash_of_name(name) % shades) / (shades - 1) - 0.5;
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
