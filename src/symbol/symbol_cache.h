// Keeps what the symboliser knows of the code at each place, and which places wait for the next batch.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
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

// What the fault of a file says about each place in it. Without a fault: `named`.
[[nodiscard]] Unnamed unnamed_by(FileFault fault);

// What is looked up in a file: a call_address().
struct CodeOffset {
  FileOffset at;
  bool is_return = false;  // stays false where it makes no difference
  friend auto operator<=>(const CodeOffset&, const CodeOffset&) = default;
};

struct PlaceHash {
  std::size_t operator()(const CodeOffset& place) const noexcept;
  std::size_t operator()(const RuntimeAddress& address) const noexcept;
};

// The answers by place: of one file by CodeOffset, of the kernel or of JIT code by RuntimeAddress.
template <class Place>
class SymbolCache {
 public:
  // The answer is valid until its place is forgotten. A new place is pending: the next batch asks for it.
  Answer* at(const Place& place) {
    const auto [found, is_new] = known_.try_emplace(place);
    if (is_new) pending_.push_back(place);
    return &found->second;
  }
  // The places that became pending since the last call, ascending.
  [[nodiscard]] std::vector<Place> take_pending() {
    std::vector<Place> places = std::exchange(pending_, {});
    std::ranges::sort(places);
    return places;
  }
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  void forget(const Place& place) { known_.erase(place); }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<Place, Answer, PlaceHash> known_;
  std::vector<Place> pending_;
};

// A RangeCache keeps the stretches of one file whose name is known. So a new address in a known function needs no
// reading of the file.
class RangeCache {
 public:
  // Every offset within `valid_range` of `offset` has the answer `place`, except for its own address.
  void add(FileOffset offset, const ValidRange& valid_range, const NameOfCode& place);
  [[nodiscard]] std::optional<NameOfCode> find(FileOffset offset) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t last = 0;  // the last offset in it
    NameOfCode place;        // of the first offset
  };
  std::map<std::uint64_t, Range> ranges_;  // by the first offset
};

}  // namespace profile
