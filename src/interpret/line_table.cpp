// Python's tables: Objects/lnotab_notes.txt of 3.9 and 3.10, Objects/locations.md of 3.11. Java's: compressedStream.hpp
// and CompressedLineNumberReadStream of HotSpot. All of them say by how much the line changes from one range of
// instructions to the next.
#include "interpret/line_table.h"

#include <cstddef>

namespace profile {
namespace {

constexpr std::uint64_t unit_bytes = 2;  // of an instruction

std::uint32_t as_line(std::int64_t line) {
  return line > 0 && line <= INT32_MAX ? static_cast<std::uint32_t>(line) : 0;
}

// Pairs: how many bytes until the line changes, and by how much.
std::uint32_t line_in_pairs(std::uint64_t offset, std::int64_t line, std::span<const std::uint8_t> table) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    at += table[i];
    if (at > offset) break;
    line += static_cast<std::int8_t>(table[i + 1]);
  }
  return as_line(line);
}

// Pairs: the length of a range in bytes, and by how much its line differs from the one before.
std::uint32_t line_in_ranges(std::uint64_t offset, std::int64_t line, std::span<const std::uint8_t> table) {
  constexpr std::int8_t without_line = -128;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto difference = static_cast<std::int8_t>(table[i + 1]);
    end += table[i];
    if (difference != without_line) line += difference;
    if (offset < end) return difference == without_line ? 0 : as_line(line);
  }
  return 0;
}

class PlaceReader {
 public:
  explicit PlaceReader(std::span<const std::uint8_t> table) : rest_(table) {}

  // A place: its first byte has the highest bit set, and says its kind and how many instructions it is for.
  struct Place {
    std::uint64_t units = 0;
    std::int64_t difference = 0;
    bool has_line = true;
  };
  // False: there is no other one.
  bool next(Place& place) {
    while (!rest_.empty() && (rest_.front() & begins) == 0) rest_ = rest_.subspan(1);
    if (rest_.empty()) return false;
    const std::uint8_t first = take();
    constexpr std::uint8_t with_columns = 10;  // this line, the next one, the one after it
    constexpr std::uint8_t without_columns = 13;
    constexpr std::uint8_t without_line = 15;
    const std::uint8_t kind = first >> 3 & 15;
    place = {.units = (first & 7U) + 1, .has_line = kind != without_line};
    if (kind >= with_columns && kind < without_columns) place.difference = kind - with_columns;
    if (kind >= without_columns && kind < without_line) place.difference = number();
    return true;
  }

 private:
  static constexpr std::uint8_t begins = 0x80;

  std::uint8_t take() {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  // Six bits in each byte, the lowest first; the lowest one of all is the sign.
  std::int64_t number() {
    constexpr std::uint8_t goes_on = 0x40;
    constexpr unsigned bits = 6;
    std::uint64_t value = 0;
    std::uint8_t byte = goes_on;
    for (unsigned shift = 0; (byte & goes_on) != 0 && shift < 32; shift += bits) {
      byte = take();
      value |= std::uint64_t{byte & (goes_on - 1U)} << shift;
    }
    const auto half = static_cast<std::int64_t>(value >> 1);
    return (value & 1) != 0 ? -half : half;
  }

  std::span<const std::uint8_t> rest_;
};

std::uint32_t line_in_places(std::uint64_t unit, std::int64_t line, std::span<const std::uint8_t> table) {
  PlaceReader places(table);
  PlaceReader::Place place;
  std::uint64_t end = 0;
  while (places.next(place)) {
    end += place.units;
    line += place.difference;
    if (unit < end) return place.has_line ? as_line(line) : 0;
  }
  return 0;
}

// Pairs of how far the index and the line go on: both in one byte, or behind a mark as numbers (UNSIGNED5) with a sign.
class PairReader {
 public:
  PairReader(std::span<const std::uint8_t> table, std::uint8_t bias) : rest_(table), bias_(bias) {}

  struct Pair {
    std::int64_t index = 0;
    std::int64_t line = 0;
  };
  // Adds the next one to `sum`. False: there is no other one.
  bool next(Pair& sum) {
    constexpr std::uint8_t with_numbers = 0xff;
    constexpr int line_bits = 3;
    const std::uint8_t first = take();
    if (first == 0) return false;
    const bool has_numbers = first == with_numbers;
    sum.index += has_numbers ? number() : first >> line_bits;
    sum.line += has_numbers ? number() : first & ((1 << line_bits) - 1);
    return true;
  }

 private:
  std::uint8_t take() {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  std::int32_t number() {
    constexpr std::uint32_t last_from = 192;
    constexpr unsigned bits = 6;
    constexpr unsigned most_bytes = 5;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < most_bytes; ++i) {
      const std::uint32_t byte = std::uint32_t{take()} - bias_;
      value += byte << (bits * i);
      if (byte < last_from - bias_) break;
    }
    return static_cast<std::int32_t>(value >> 1 ^ (~(value & 1) + 1));
  }

  std::span<const std::uint8_t> rest_;
  std::uint8_t bias_;
};

std::uint32_t line_in_java(std::int64_t index, std::uint8_t bias, std::span<const std::uint8_t> table) {
  PairReader pairs(table, bias);
  PairReader::Pair at, best;
  while (pairs.next(at)) {
    // Ranges need not ascend.
    if (at.index <= index && at.index >= best.index) best = at;
    if (at.index == index) break;
  }
  return as_line(best.line);
}

}  // namespace

std::uint32_t line_at(script_lines form, std::uint64_t position, std::uint32_t first_line,
                      std::span<const std::uint8_t> table) {
  if (position == 0 || form == SCRIPT_LINES_NONE) return 0;
  if (form == SCRIPT_LINES_DIRECT) return static_cast<std::uint32_t>(position);
  if (form == SCRIPT_LINES_OF_JAVA || form == SCRIPT_LINES_OF_JAVA_20) {
    return line_in_java(static_cast<std::int64_t>(position) - 1, form == SCRIPT_LINES_OF_JAVA_20 ? 1 : 0, table);
  }
  if (position == 1) return first_line;
  const std::uint64_t unit = position - 2;
  if (form == SCRIPT_LINES_OF_BYTES) return line_in_pairs(unit * unit_bytes, first_line, table);
  if (form == SCRIPT_LINES_OF_RANGES) return line_in_ranges(unit * unit_bytes, first_line, table);
  return form == SCRIPT_LINES_OF_PLACES ? line_in_places(unit, first_line, table) : 0;
}

}  // namespace profile
