// Finds an element of a vector by its content. The table holds only hashes and indices, 8 bytes per slot, and
// there is no allocation per element; a lookup usually touches one cache line. The caller keeps the elements and
// compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profile {

class IndexTable {
 public:
  // Returns the index that was added with this hash and for which `is_same(index)` is true.
  template <class Same>
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t hash, Same is_same) const {
    if (places_.empty()) return std::nullopt;
    const std::uint64_t wanted = hash >> 32;
    for (std::size_t at = wanted & mask();; at = (at + 1) & mask()) {
      const std::uint64_t place = places_[at];
      if (place == 0) return std::nullopt;
      const std::uint32_t index = static_cast<std::uint32_t>(place) - 1;
      if (place >> 32 == wanted && is_same(index)) return index;
    }
  }

  // Adds an index below 2^32 - 1 that find() does not find. The upper 32 bits of `hash` must be well mixed.
  void add(std::uint64_t hash, std::size_t index) {
    if (2 * (size_ + 1) > places_.size()) grow();
    put(hash >> 32 << 32 | (index + 1));
    ++size_;
  }

  // Keeps the memory but not the number of places: a large table that is used for little becomes a small one.
  void clear() {
    places_.clear();
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t fewest_places = 16;

  [[nodiscard]] std::size_t mask() const { return places_.size() - 1; }

  void put(std::uint64_t place) {
    std::size_t at = (place >> 32) & mask();
    while (places_[at] != 0) at = (at + 1) & mask();
    places_[at] = place;
  }

  void grow() {
    const std::vector<std::uint64_t> before(places_);
    places_.assign(before.empty() ? fewest_places : 2 * before.size(), 0);
    for (const std::uint64_t place : before) {
      if (place != 0) put(place);
    }
  }

  // The upper half is that of the hash, the lower half the index + 1. 0: free. Their number is a power of two.
  std::vector<std::uint64_t> places_;
  std::size_t size_ = 0;
};

}  // namespace profile
