// Fits text into columns. Widths come from wcwidth(), as in ncurses and in the terminal.
#include "terminal/text.h"

#include <langinfo.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "output/text_table.h"
#include "support/ascii.h"

namespace profile {
namespace {

// The most combining marks on one character. Names may have any number of them, and a terminal that draws them all
// shows a blot.
constexpr std::size_t most_marks = 2;

struct Glyph {
  std::size_t size = 1;      // in bytes
  std::size_t columns = 1;   // 0: a combining mark on the character before
  bool is_printable = true;  // false: it is shown as "?", one column wide
};

// `text` is not empty.
Glyph first_glyph(std::string_view text, bool unicode) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {.is_printable = first >= 0x20 && first != 0x7f};
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) ++size;
  if (!unicode) return {.size = size, .is_printable = false};
  wchar_t character = 0;
  mbstate_t state{};
  if (::mbrtowc(&character, text.data(), text.size(), &state) != size) return {.size = size, .is_printable = false};
  const int columns = ::wcwidth(character);
  if (columns < 0) return {.size = size, .is_printable = false};
  return {.size = size, .columns = static_cast<std::size_t>(columns)};
}

std::string_view ellipsis(bool unicode) { return unicode ? "…" : ".."; }
std::size_t ellipsis_columns(bool unicode) { return unicode ? 1 : 2; }

// Whether the environment names a UTF-8 locale. That locale may not be installed here, for example after an ssh from
// another machine, but the terminal still uses UTF-8.
bool names_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets any
    if (value == nullptr || *value == '\0') continue;
    const std::string text = to_lower(std::string_view(value));
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

TopLocale::TopLocale(const char* name) : own_(::newlocale(LC_CTYPE_MASK, name, nullptr)) {
  if (own_ == nullptr && names_utf8()) own_ = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (own_ == nullptr) own_ = ::newlocale(LC_CTYPE_MASK, "C", nullptr);
  before_ = ::uselocale(own_);
}

TopLocale::~TopLocale() {
  ::uselocale(before_);
  ::freelocale(own_);
}

bool TopLocale::has_unicode() const { return std::string_view(::nl_langinfo_l(CODESET, own_)) == "UTF-8"; }

std::string fitted(std::string_view text, std::size_t width, bool unicode) {
  const std::size_t room = width < ellipsis_columns(unicode) ? width : width - ellipsis_columns(unicode);
  std::string out;
  std::size_t columns = 0;
  std::size_t marks = 0;
  std::size_t cut = 0;  // the length of `out` up to which an ellipsis still fits after it
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text, unicode);
    const std::string_view bytes = glyph.is_printable ? text.substr(0, glyph.size) : "?";
    text.remove_prefix(glyph.size);
    marks = glyph.columns == 0 ? marks + 1 : 0;
    if (glyph.columns == 0 && (marks > most_marks || columns == 0)) continue;
    if (columns + glyph.columns > width) {
      out.resize(cut);
      if (width >= ellipsis_columns(unicode)) out += ellipsis(unicode);
      return out;
    }
    out += bytes;
    columns += glyph.columns;
    if (columns <= room) cut = out.size();
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text, true);
    columns += glyph.columns;
    text.remove_prefix(glyph.size);
  }
  return columns;
}

std::string left_aligned(std::string_view text, std::size_t width, bool unicode) {
  std::string out = fitted(text, width, unicode);
  out.append(width - columns_of(out), ' ');
  return out;
}

std::string right_aligned(std::string_view text, std::size_t width, bool unicode) {
  const std::string out = fitted(text, width, unicode);
  return std::string(width - columns_of(out), ' ') + out;
}

std::string sparkline(std::span<const double> values, double most, bool unicode) {
  constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 8> letters = {".", ":", "-", "=", "+", "*", "%", "#"};
  std::string out;
  for (const double value : values) {
    if (value <= 0 || most <= 0) {
      out += ' ';
      continue;
    }
    const double level = std::min(value / most, 1.0) * static_cast<double>(blocks.size());
    const std::size_t at = level <= 1 ? 0 : std::min(static_cast<std::size_t>(std::lround(level)), blocks.size()) - 1;
    out += unicode ? blocks[at] : letters[at];
  }
  return out;
}

std::string amount(double value, Unit unit) {
  struct Step {
    double size;
    std::string_view name;
  };
  constexpr std::array<Step, 4> times = {{{3.6e9, "h"}, {1e6, "s"}, {1e3, "ms"}, {1, "us"}}};
  constexpr std::array<Step, 5> bytes = {
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}}};
  constexpr std::array<Step, 4> counts = {{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}}};
  const auto scaled = [value](const auto& steps, std::string_view space) {
    for (const Step& step : steps) {
      if (value < step.size) continue;
      return decimal(value / step.size, step.size == 1 ? 0 : 1) + std::string(space) + std::string(step.name);
    }
    return std::string("0");
  };
  if (unit == Unit::microseconds) return scaled(times, " ");
  if (unit == Unit::bytes) return scaled(bytes, " ");
  constexpr double most_plain = 1e7;
  return value < most_plain ? decimal(value, 0) : scaled(counts, "");
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
  const auto two = [](std::uint64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(whole / 3600) + ':' + two(whole / 60 % 60) + ':' + two(whole % 60);
}

}  // namespace profile
