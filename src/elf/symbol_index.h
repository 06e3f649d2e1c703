// Which of a stream of symbols covers each of a few addresses, without keeping the symbols: memory grows with the
// addresses asked for only, and time by a logarithm of their number per symbol, whatever the symbols look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/valid_range.h"

namespace profile {

// The code one symbol stands for. `size` 0: it has none, and reaches to the next symbol.
struct CodeRange {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  friend auto operator<=>(const CodeRange&, const CodeRange&) = default;
};

class SymbolIndex {
 public:
  // `addresses` ascend, are distinct and outlive this.
  explicit SymbolIndex(std::span<const std::uint64_t> addresses);

  // [start, start + size), cut off at the end of the address space. False when it covers none of the addresses.
  bool add_sized(std::uint64_t start, std::uint64_t size);
  // From `start` to the next symbol of any kind, but not to `limit` or beyond. False when it will answer nothing.
  bool add_unsized(std::uint64_t start, std::uint64_t limit);
  // Covers nothing; ends what is unsized.
  void add_boundary(std::uint64_t start);
  // An unsized symbol may start here: whether it would change anything so far.
  [[nodiscard]] bool matters(std::uint64_t start);

  // Once all are added: for each address the symbol with the greatest start that covers it; of several of that start
  // the smallest. Sized before unsized.
  [[nodiscard]] std::vector<std::optional<CodeRange>> answers() const;
  // Once all are added: how far around each address any other would get the same answer, because nothing begins or
  // ends there.
  [[nodiscard]] std::vector<ValidRange> valid_ranges() const;

 private:
  struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // 0: none
  };
  struct Nearest {
    std::uint64_t start = 0;
    std::uint64_t limit = 0;  // of the unsized symbols that start here; 0: none of them is
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
  // A segment tree over the addresses: leaf i is tree_[n + i]. An address' best range is the best on its way to the
  // root.
  std::vector<Range> tree_;
  // [i]: the greatest start in (addresses[i - 1], addresses[i]].
  std::vector<Nearest> nearest_;
  // [i]: those in (addresses[i - 1], addresses[i]]; one more for what lies above the last address.
  std::vector<Points> points_;
  std::uint64_t last_limit_ = 0;  // its point was added
};

}  // namespace profile
