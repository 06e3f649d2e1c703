// What the symboliser remembers of the code at a place, and which places wait for the next batch.
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "elf/valid_range.h"
#include "model/address.h"
#include "model/profile.h"
#include "model/string_table.h"

namespace profile {

// A function at a place, and where in the source: the inlined ones first, innermost first, then the one with the code.
struct Position {
  StringId function = StringId::empty;
  StringId file = StringId::empty;
  std::uint32_t line = 0;
};
// Most places have no inlined function, or one or two.
using Chain = boost::container::small_vector<Position, 3>;

// As Frame, with strings of the symboliser's own table.
struct Answer {
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;
  StringId module = StringId::empty;
  std::uint64_t offset = 0;             // of the place that was looked up
  ElfAddress address;                   // of that place, where it lies in a file that could be read
  std::shared_ptr<const Chain> source;  // none: not asked for, or not known
};

// The offset in a file, or the address in the kernel or in JIT code, that is looked up: for a return address that of
// the byte before it.
struct CodeOffset {
  std::uint64_t at = 0;
  bool is_return = false;  // left false where it makes no difference
  friend auto operator<=>(const CodeOffset&, const CodeOffset&) = default;
};

[[nodiscard]] std::vector<RuntimeAddress> addresses_of(std::span<const CodeOffset> places);

// SymbolCache by place, of one file or of one address space.
class SymbolCache {
 public:
  // Valid until the place is forgotten. A new place is pending: to be asked for in the next batch.
  Answer* at(const CodeOffset& place);
  // Those that became pending since the last call, ascending.
  [[nodiscard]] std::vector<CodeOffset> take_pending();
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  void forget(const CodeOffset& place) { known_.erase(place); }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const CodeOffset& place) const noexcept;
  };

  std::unordered_map<CodeOffset, Answer, Hash> known_;
  std::vector<CodeOffset> pending_;
};

// The stretches of one file whose name is known, so that a new address in a function that was seen before needs no
// reading of the file.
// What a file's symbols say of one of its places.
struct KnownSymbol {
  Unnamed unnamed = Unnamed::no_symbol;
  StringId symbol = StringId::empty;  // demangled
  std::uint64_t start = 0;            // of the symbol, where there is one
  ElfAddress address;                 // of the place
};

class RangeCache {
 public:
  // Every offset within `valid_range` of `offset` has the answer `place`, its own address apart.
  void add(std::uint64_t offset, const ValidRange& valid_range, const KnownSymbol& place);
  [[nodiscard]] std::optional<KnownSymbol> find(std::uint64_t offset) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t last = 0;  // offset within it
    KnownSymbol place;       // of the first
  };
  std::map<std::uint64_t, Range> ranges_;  // by first offset
};

}  // namespace profile
