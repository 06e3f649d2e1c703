// Keeps what the symboliser knows of the code at each place, and which places wait for the next batch.
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
#include "model/source_position.h"
#include "model/string_table.h"
#include "parse/file_reader.h"

namespace profile {

// The inlined functions, innermost first, then the function that has the code. Most places have no inlined function, or
// one or two.
using Chain = boost::container::small_vector<SourcePosition, 3>;

// Like a Frame, but its strings are in the symboliser's own table.
struct Answer {
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;
  StringId module = StringId::empty;
  std::uint64_t offset = 0;  // of the place that was looked up
  std::uint64_t function = unknown_offset;
  ElfAddress address;                   // of that place, if it lies in a file that could be read
  std::shared_ptr<const Chain> source;  // null: not wanted, or not known
};

// The offset in a file, or the address in the kernel or in JIT code, that is looked up. For a return address it is the
// byte before.
struct CodeOffset {
  std::uint64_t at = 0;
  bool is_return = false;  // stays false where it makes no difference
  friend auto operator<=>(const CodeOffset&, const CodeOffset&) = default;
};

[[nodiscard]] std::vector<RuntimeAddress> addresses_of(std::span<const CodeOffset> places);

// The answers by place, of one file or of one address space.
class SymbolCache {
 public:
  // The answer is valid until its place is forgotten. A new place is pending: the next batch asks for it.
  Answer* at(const CodeOffset& place);
  // The places that became pending since the last call, ascending.
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

// A RangeCache keeps the stretches of one file whose name is known. So a new address in a known function needs no
// reading of the file.
class RangeCache {
 public:
  // Every offset within `valid_range` of `offset` has the answer `place`, except for its own address.
  void add(std::uint64_t offset, const ValidRange& valid_range, const NameOfCode& place);
  [[nodiscard]] std::optional<NameOfCode> find(std::uint64_t offset) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t last = 0;  // the last offset in it
    NameOfCode place;        // of the first offset
  };
  std::map<std::uint64_t, Range> ranges_;  // by the first offset
};

}  // namespace profile
