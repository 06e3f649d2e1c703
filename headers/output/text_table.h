// Text tables for people: each column is as wide as its widest cell. Also the formats of the numbers in them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

class TextTable {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string heading;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One clean cell for each column. Put a column with long texts last. `is_faint`: a terminal shows the row in grey.
  void add(std::vector<std::string> cells, bool is_faint = false) { rows_.push_back({std::move(cells), is_faint}); }
  void write(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  struct Row {
    std::vector<std::string> cells;
    bool is_faint = false;
  };
  std::vector<Row> rows_;
};

// In characters, not bytes, because thread names may be in any script. `clean` must be clean text.
[[nodiscard]] std::size_t width_of(std::string_view clean);
// The text with blanks after it, or before it, as wide as `width` at least.
[[nodiscard]] std::string to_the_left(std::string_view clean, std::size_t width);
[[nodiscard]] std::string to_the_right(std::string_view clean, std::size_t width);

// "12.3", the same in every locale and for every stream.
[[nodiscard]] std::string decimal(double value, int digits = 1);
// "12.3%"; "0.0%" when `whole` is 0.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);
// How a column shows its times: all in one unit, so that they can be compared at a glance.
struct TimeUnit {
  std::string_view name = "us";  // "us", "ms" or "s"
  double ns = 1e3;
  int digits = 3;

  // "1.500"
  [[nodiscard]] std::string text(double time_ns) const { return decimal(time_ns / ns, digits); }
};
// The longest of the times, in nanoseconds, decides the unit. The digits, 3 to 6, are so many that rounding changes the
// shortest one that is not 0 by a tenth at most.
[[nodiscard]] TimeUnit time_unit(std::span<const double> times_ns);
// "12.3"; two digits after the point when less than one: "0.04".
[[nodiscard]] inline std::string seconds(double s) { return decimal(s, s < 1 ? 2 : 1); }
// Returns 0 when `whole` is 0.
[[nodiscard]] inline double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
// Starts a table's title: "Top 10 waits", then " of 34" when there are more. `thing` is the singular.
[[nodiscard]] std::string top_of(std::size_t shown, std::size_t all, const std::string& thing);

}  // namespace profile
