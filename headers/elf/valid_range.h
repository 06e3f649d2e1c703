// How far the answer about one address also holds for its neighbours. With it, a caller that asks again and again need
// not read the file for each new address of a known function.
#pragma once

#include <algorithm>
#include <cstdint>

namespace profile {

// Every address from `before` bytes below one to `after` bytes above it has the same answer.
struct ValidRange {
  std::uint64_t before = UINT64_MAX;
  std::uint64_t after = UINT64_MAX;

  // Something begins or ends at `point`: from there on, or up to there, the answer may be different.
  void stop_at(std::uint64_t address, std::uint64_t point) {
    if (point <= address)
      before = std::min(before, address - point);
    else
      after = std::min(after, point - address - 1);
  }
  void keep_within(const ValidRange& other) {
    before = std::min(before, other.before);
    after = std::min(after, other.after);
  }
  friend bool operator==(const ValidRange&, const ValidRange&) = default;
};

// Nothing is known of the neighbours.
constexpr ValidRange valid_for_one{.before = 0, .after = 0};

}  // namespace profile
