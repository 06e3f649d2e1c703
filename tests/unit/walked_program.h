// A made program whose stacks are walked: memory, and functions with unwind rules. Each function has a page of its own
// in the program and in the file, and one rule from its first byte on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "sampling/finish_walk.h"

namespace profile {

class WalkedProgram : public WalkedCode {
 public:
  using Kind = Code::Kind;
  static constexpr std::uint64_t page_bytes = 4096;

  // `unit_shift`: of the architecture's tables, in abi/unwind.h.
  explicit WalkedProgram(std::uint32_t unit_shift) : table_page_bytes_(1U << UNWIND_PAGE_SHIFT(unit_shift)) {}

  // Returns the code of the rule.
  std::uint32_t add_rule(const unwind_rule& rule) {
    std::memcpy(slab_.get() + ++rules_ * sizeof rule, &rule, sizeof rule);
    return rules_;
  }
  // Returns the code of the rule that the outermost functions have.
  std::uint32_t add_root() {
    unwind_rule root{};
    root.cfa = UNWIND_CFA_END;
    return add_rule(root);
  }
  // `function`: its first address, a multiple of page_bytes.
  void add(std::uint64_t function, std::uint32_t code) {
    const std::uint32_t number = pages_++;
    const unwind_page page{.first_row = 0, .rows_and_code = code};
    std::memcpy(slab_.get() + pages_at + number * sizeof page, &page, sizeof page);
    functions_[function] = {Kind::table, number};
  }
  void add(std::uint64_t function, Kind kind) { functions_[function] = {kind, 0}; }

  Code place_of(std::uint64_t address) override {
    const auto found = functions_.find(address & ~(page_bytes - 1));
    if (found == functions_.end()) return {};
    Code place;
    place.kind = found->second.first;
    place.offset = found->second.second * table_page_bytes_ + address % page_bytes;
    place.table.pages = pages_;
    place.table.pages_at = pages_at;
    return place;
  }
  const char* slab(std::uint32_t number) override { return number == 0 ? slab_.get() : nullptr; }
  // For tests that make tables of their own.
  char* slab() { return slab_.get(); }

  // Puts a word into the memory. The rest of its pages is readable then.
  void put(std::uint64_t at, std::uint64_t word) {
    for (std::size_t i = 0; i < sizeof word; ++i, ++at, word >>= 8)
      memory_[at / page_bytes][at % page_bytes] = static_cast<unsigned char>(word);
  }
  void make_readable(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t page = begin / page_bytes; page * page_bytes < end; ++page) memory_[page];
  }
  // False: not all of it is readable, and `to` holds anything.
  bool read(void* to, std::size_t bytes, std::uint64_t from) const {
    auto* out = static_cast<unsigned char*>(to);
    while (bytes != 0) {
      const auto page = memory_.find(from / page_bytes);
      if (page == memory_.end()) return false;
      const std::size_t part = std::min<std::size_t>(bytes, page_bytes - from % page_bytes);
      std::memcpy(out, page->second.data() + from % page_bytes, part);
      out += part;
      from += part;
      bytes -= part;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t pages_at = WALK_SLAB_BYTES / 2;

  std::uint64_t table_page_bytes_;
  std::unique_ptr<char[]> slab_ = std::make_unique<char[]>(WALK_SLAB_BYTES);
  std::uint32_t rules_ = 0;
  std::uint32_t pages_ = 0;
  std::map<std::uint64_t, std::pair<Kind, std::uint32_t>> functions_;
  std::map<std::uint64_t, std::array<unsigned char, page_bytes>> memory_;
};

}  // namespace profile
