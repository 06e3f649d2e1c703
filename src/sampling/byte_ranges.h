// Ranges of a space of 32-bit byte addresses, given out and taken back: the first that is large enough, from the
// bottom, so that what lies on top comes free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace profile {

class ByteRanges {
 public:
  // All of [0, size) is free.
  explicit ByteRanges(std::uint64_t size) { free_[0] = size; }

  // What is taken for `size` bytes: whole units of 16, the largest of what lies in a table.
  [[nodiscard]] static std::uint64_t whole_units(std::uint64_t size) { return (size + unit - 1) / unit * unit; }
  // Where `size` bytes begin, at a multiple of 16; nullopt when there is no such range. `size` is not 0.
  std::optional<std::uint32_t> take(std::uint64_t size);
  // What take() gave for `size` bytes.
  void give(std::uint32_t at, std::uint64_t size);
  [[nodiscard]] bool is_free(std::uint64_t at, std::uint64_t size) const;

 private:
  static constexpr std::uint64_t unit = 16;
  std::map<std::uint64_t, std::uint64_t> free_;  // by where it begins, its size; none touches another
};

}  // namespace profile
