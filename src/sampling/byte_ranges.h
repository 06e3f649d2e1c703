// Allocates ranges in a space of 32-bit byte addresses. It takes the lowest free range that is large enough, so that
// the top of the space becomes free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace profile {

class ByteRanges {
 public:
  // All of [0, size) is free.
  explicit ByteRanges(std::uint64_t size) { free_[0] = size; }

  // `size` rounded up to units of 16 bytes, which is the size of the largest item in a table.
  [[nodiscard]] static std::uint64_t whole_units(std::uint64_t size) { return (size + unit - 1) / unit * unit; }
  // Returns the address of `size` bytes, a multiple of 16; nullopt when no free range is large enough. `size` is not 0.
  std::optional<std::uint32_t> take(std::uint64_t size);
  // Frees a range that take() returned for `size` bytes, or the end of one.
  void give(std::uint32_t at, std::uint64_t size);
  [[nodiscard]] bool is_free(std::uint64_t at, std::uint64_t size) const;

 private:
  static constexpr std::uint64_t unit = 16;
  std::map<std::uint64_t, std::uint64_t> free_;  // size by begin; no two ranges touch
};

}  // namespace profile
