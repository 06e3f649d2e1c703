// Widths are counted in characters, not bytes, because thread names may be in any script.
#include "output/text_table.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t between_columns = 2;

// `text` is clean. Each byte starts a character, except UTF-8 continuation bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace

void TextTable::write(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].heading);
    for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
  }
  // Blanks are written only before a nonempty cell, so that no line ends in blanks.
  const auto write_line = [&](auto cell_at) {
    std::size_t held_back = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_at(i);
      const std::size_t missing = widths[i] - width_of(cell);
      if (i != 0) held_back += between_columns;
      if (columns_[i].align == Align::right) held_back += missing;
      if (!cell.empty()) {
        out << std::string(held_back, ' ') << cell;
        held_back = 0;
      }
      held_back += columns_[i].align == Align::right ? 0 : missing;
    }
    out << '\n';
  };
  write_line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
  for (const auto& row : rows_) {
    write_line([&](std::size_t i) -> const std::string& { return row[i]; });
  }
}

std::string decimal(double value, int digits) {
  char text[400];  // the largest double has 309 digits before its point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(double part, double whole) { return decimal(whole == 0 ? 0 : 100 * part / whole) + '%'; }

std::string top_of(std::size_t shown, std::size_t all, const std::string& thing) {
  std::string title = "Top " + number_of(shown, thing);
  if (shown < all) title += " of " + std::to_string(all);
  return title;
}

}  // namespace profile
