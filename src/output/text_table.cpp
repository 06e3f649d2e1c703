#include "output/text_table.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t between_columns = 2;

// Of a terminal: bright black, which is grey, and the usual colour.
constexpr std::string_view faint = "\x1b[90m";
constexpr std::string_view usual = "\x1b[0m";

std::string blanks_for(std::string_view clean, std::size_t width) {
  return std::string(width - std::min(width, width_of(clean)), ' ');
}

}  // namespace

std::size_t width_of(std::string_view clean) {
  // Each byte starts a character, except UTF-8 continuation bytes.
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(clean, begins));
}

std::string to_the_left(std::string_view clean, std::size_t width) {
  return std::string(clean) + blanks_for(clean, width);
}

std::string to_the_right(std::string_view clean, std::size_t width) { return blanks_for(clean, width).append(clean); }

void TextTable::write(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].heading);
    for (const Row& row : rows_) width = std::max(width, width_of(row.cells[i]));
    widths.push_back(width);
  }
  // A line ends with its last nonempty cell, so that no line ends in blanks.
  const auto line_of = [&](auto cell_at) {
    std::string line;
    std::size_t end = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_at(i);
      const std::string blanks = blanks_for(cell, widths[i]);
      if (i != 0) line.append(between_columns, ' ');
      if (columns_[i].align == Align::right) line += blanks;
      line += cell;
      if (!cell.empty()) end = line.size();
      if (columns_[i].align == Align::left) line += blanks;
    }
    return line.substr(0, end);
  };
  out << line_of([&](std::size_t i) -> const std::string& { return columns_[i].heading; }) << '\n';
  for (const Row& row : rows_) {
    const std::string line = line_of([&](std::size_t i) -> const std::string& { return row.cells[i]; });
    out << (row.is_faint ? faint : "") << line << (row.is_faint ? usual : "") << '\n';
  }
}

std::string decimal(double value, int digits) {
  char text[400];  // the largest double has 309 digits before its point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

TimeUnit time_unit(std::span<const double> times_ns) {
  constexpr TimeUnit ms{.name = "ms", .ns = 1e6};
  constexpr TimeUnit s{.name = "s", .ns = 1e9};
  constexpr double from_ms_ns = 1e6;
  constexpr double from_s_ns = 1e10;
  constexpr int most_digits = 6;
  double longest = 0;
  double shortest = 0;
  for (const double time_ns : times_ns) {
    longest = std::max(longest, time_ns);
    if (time_ns > 0 && (shortest == 0 || time_ns < shortest)) shortest = time_ns;
  }
  TimeUnit unit = longest >= from_s_ns ? s : longest >= from_ms_ns ? ms : TimeUnit();
  constexpr double least_in_last_digit = 5;
  double in_last_digit = shortest / unit.ns * 1000;
  for (; shortest != 0 && in_last_digit < least_in_last_digit && unit.digits < most_digits; ++unit.digits) {
    in_last_digit *= 10;
  }
  return unit;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return decimal(whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole)) + '%';
}

std::string top_of(std::size_t shown, std::size_t all, const std::string& thing) {
  std::string title = "Top " + number_of(shown, thing);
  if (shown < all) title += " of " + std::to_string(all);
  return title;
}

}  // namespace profile
