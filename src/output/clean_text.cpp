// Replaces what must not reach a terminal or the parser of a line. It drops nothing, so no name becomes empty.
#include "output/clean_text.h"

#include <algorithm>
#include <iterator>

#include "model/profile.h"

namespace profile {
namespace {

bool printable(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  const bool separator = value >= 0x2028 && value <= 0x202e;  // two line breaks, five bidirectional controls
  const bool isolate = value >= 0x2066 && value <= 0x2069;
  const bool mark = value == 0xfeff;  // the byte order mark is no text
  return !control && !separator && !isolate && !mark;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {.value = lead, .size = 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t value = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  const std::uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least || value > 0x10ffff || surrogate) return {};
  return {.value = value, .size = size};
}

void append_clean(std::string& out, std::string_view text, Semicolon semicolon) {
  while (!text.empty()) {
    // Almost all names have nothing else, and go over in one piece.
    const auto plain = std::find_if_not(text.begin(), text.end(), [semicolon](char c) {
      return c >= 0x20 && c < 0x7f && (c != ';' || semicolon == Semicolon::keep);
    });
    out.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) return;
    const CodePoint point = first_code_point(text);
    const std::size_t size = point.size == 0 ? 1 : point.size;
    if (point.size == 0 || !printable(point.value)) {
      out += '?';
    } else if (point.value == ';' && semicolon == Semicolon::replace) {
      out += ':';
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

std::string clean_text(std::string_view text) {
  std::string clean;
  append_clean(clean, text, Semicolon::keep);
  return clean;
}

std::string clean_source_text(std::string_view text) {
  constexpr std::size_t tab = 8;
  std::string clean;
  std::size_t column = 0;  // in characters since the line began
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('\t'));
    const std::size_t begin = clean.size();
    append_clean(clean, part, Semicolon::keep);
    // The bytes that begin a character: all but the rest of one.
    column += static_cast<std::size_t>(std::count_if(clean.begin() + static_cast<std::ptrdiff_t>(begin), clean.end(),
                                                     [](char c) { return (c & '\xc0') != '\x80'; }));
    text.remove_prefix(part.size());
    if (text.empty()) break;
    text.remove_prefix(1);
    clean.append(tab - column % tab, ' ');
    column += tab - column % tab;
  }
  return clean;
}

std::string clean_name(std::string_view name) { return clean_text(name.empty() ? unknown_name : name); }

void append_markup(std::string& out, std::string_view clean) {
  struct Escape {
    char letter;
    std::string_view written;
  };
  constexpr Escape escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  // Clean text may still have U+FFFE and U+FFFF, which XML forbids.
  constexpr std::string_view before_last = "\xef\xbf\xbe";
  constexpr std::string_view last = "\xef\xbf\xbf";
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const Escape* const escape = std::ranges::find(escapes, clean[i], &Escape::letter);
    if (escape != std::end(escapes)) {
      out += escape->written;
    } else if (clean.substr(i, 3) == before_last || clean.substr(i, 3) == last) {
      out += '?';
      i += 2;
    } else {
      out += clean[i];
    }
  }
}

}  // namespace profile
