// Finds which symbols of a stream cover each of a few addresses, without keeping the symbols. The memory grows only
// with the number of addresses. The time per symbol grows with the logarithm of that number, whatever the symbols are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/valid_range.h"

namespace profile {

// The code that one symbol stands for. `size` 0: the symbol has no size and reaches to the next symbol.
struct SymbolRange {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  friend auto operator<=>(const SymbolRange&, const SymbolRange&) = default;
};

class SymbolIndex {
 public:
  // `addresses` ascend, are distinct and outlive this.
  explicit SymbolIndex(std::span<const std::uint64_t> addresses);

  // Covers [start, start + size), cut off at the end of the address space. False when it covers none of the addresses.
  bool add_sized(std::uint64_t start, std::uint64_t size);
  // Covers from `start` to the next symbol of any kind, but not `limit` or beyond. False when it will answer no
  // address.
  bool add_unsized(std::uint64_t start, std::uint64_t limit);
  // Covers nothing. It ends the unsized symbol before it.
  void add_boundary(std::uint64_t start);
  // Whether an unsized symbol that starts here would change any answer so far.
  [[nodiscard]] bool matters(std::uint64_t start);

  // Call it when all symbols are added. For each address: the symbol with the greatest start that covers it; of several
  // with that start, the smallest. Sized symbols come before unsized ones.
  [[nodiscard]] std::vector<std::optional<SymbolRange>> answers() const;
  // Call it when all symbols are added. For each address: the range around it in which any other address gets the same
  // answer, because nothing begins or ends there.
  [[nodiscard]] std::vector<ValidRange> valid_ranges() const;

 private:
  struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // 0: none
  };
  struct Nearest {
    std::uint64_t start = 0;
    std::uint64_t limit = 0;  // of the unsized symbols that start here; 0: there are none
    bool filled = false;
  };

  // The first and the last place between two addresses where something begins or ends.
  struct Points {
    std::uint64_t lowest = UINT64_MAX;
    std::uint64_t highest = 0;
  };

  [[nodiscard]] std::size_t first_at_or_above(std::uint64_t address) const;
  void add_point(std::size_t slot, std::uint64_t point);
  void add_start(std::size_t slot, std::uint64_t start, std::uint64_t limit);

  std::span<const std::uint64_t> addresses_;
  // A segment tree over the addresses: leaf i is tree_[n + i]. The best range of an address is the best on the way from
  // its leaf to the root.
  std::vector<Range> tree_;
  // [i]: the greatest start in (addresses[i - 1], addresses[i]].
  std::vector<Nearest> nearest_;
  // [i]: the points in (addresses[i - 1], addresses[i]]. The extra last entry is for points above the last address.
  std::vector<Points> points_;
  std::uint64_t last_limit_ = 0;  // its point was already added
};

}  // namespace profile
