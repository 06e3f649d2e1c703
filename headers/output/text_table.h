// Tables for people: columns as wide as what stands in them, numbers to the right. And the wordings of the numbers.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
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

  // As many cells as there are columns, each already clean. A column of texts that may be long is best the last.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void write(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "12.3": neither a locale nor the state of a stream changes it.
[[nodiscard]] std::string decimal(double value, int digits = 1);
// "12.3%", of nothing at all "0.0%".
[[nodiscard]] std::string percent(double part, double whole);
// "1.500", "3.20": of nanoseconds.
[[nodiscard]] inline std::string milliseconds(std::uint64_t ns) { return decimal(static_cast<double>(ns) / 1e6, 3); }
[[nodiscard]] inline std::string microseconds(double ns) { return decimal(ns / 1e3, 2); }
// "12.3", and less than one with a digit more: "0.04".
[[nodiscard]] inline std::string seconds(double s) { return decimal(s, s < 1 ? 2 : 1); }
// The mean of `count` things; 0 when there are none.
[[nodiscard]] inline double mean(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}
// The first words of a table's title: "Top 10 waits", then " of 34" when there are more. `thing` is one of them.
[[nodiscard]] std::string top_of(std::size_t shown, std::size_t all, const std::string& thing);

}  // namespace profile
