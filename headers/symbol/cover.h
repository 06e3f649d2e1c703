// Which of a stream of symbols covers each of a few addresses, without keeping the symbols: memory grows with the
// addresses asked for only, and time by a logarithm of their number per symbol, whatever the symbols look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace profile {

// The code one symbol stands for. `size` 0: it has none, and reaches to the next symbol.
struct CodeRange {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  friend auto operator<=>(const CodeRange&, const CodeRange&) = default;
};

class InnermostCover {
 public:
  // `addresses` ascend, are distinct and outlive this.
  explicit InnermostCover(std::span<const std::uint64_t> addresses);

  // [start, start + size), cut off at the end of the address space. False when it covers none of the addresses.
  bool add_sized(std::uint64_t start, std::uint64_t size);
  // From `start` to the next symbol of any kind, but not to `limit` or beyond. False when it will answer nothing.
  bool add_unsized(std::uint64_t start, std::uint64_t limit);
  // Covers nothing; ends what is unsized.
  void add_boundary(std::uint64_t start);
  // Whether an unsized symbol at `start` would change anything so far.
  [[nodiscard]] bool matters(std::uint64_t start) const;

  // Once all are added: for each address the symbol with the greatest start that covers it; of several of that start
  // the smallest. Sized before unsized.
  [[nodiscard]] std::vector<std::optional<CodeRange>> answers() const;

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

  [[nodiscard]] std::size_t first_at_or_above(std::uint64_t address) const;
  void add_start(std::size_t slot, std::uint64_t start, std::uint64_t limit);

  std::span<const std::uint64_t> addresses_;
  // A segment tree over the addresses: leaf i is tree_[n + i]. An address' best range is the best on its way to the
  // root.
  std::vector<Range> tree_;
  // [i]: the greatest start in (addresses[i - 1], addresses[i]].
  std::vector<Nearest> nearest_;
};

}  // namespace profile
