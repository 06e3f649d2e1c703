// The stretches of one file whose name is known, so that a new address in a function that was seen before needs no
// reading of the file. Only for runs that ask again and again: others would keep it for nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "model/address.h"
#include "model/profile.h"
#include "model/string_table.h"
#include "symbol/reach.h"

namespace profile {

// What a file's symbols say of one of its places.
struct KnownPlace {
  Unnamed unnamed = Unnamed::no_symbol;
  StringId symbol = StringId::empty;  // demangled
  std::uint64_t start = 0;            // of the symbol, where there is one
  ElfAddress address;                 // of the place
};

class KnownRanges {
 public:
  // Every offset within `reach` of `offset` has the answer `place`, its own address apart.
  void add(std::uint64_t offset, const Reach& reach, const KnownPlace& place);
  [[nodiscard]] std::optional<KnownPlace> find(std::uint64_t offset) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t last = 0;  // offset within it
    KnownPlace place;        // of the first
  };
  std::map<std::uint64_t, Range> ranges_;  // by first offset
};

}  // namespace profile
