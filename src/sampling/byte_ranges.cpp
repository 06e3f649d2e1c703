#include "sampling/byte_ranges.h"

#include <algorithm>
#include <iterator>

namespace profile {

std::optional<std::uint32_t> ByteRanges::take(std::uint64_t size) {
  size = whole_units(size);
  const auto found = std::ranges::find_if(free_, [&](const auto& range) { return range.second >= size; });
  if (found == free_.end()) return std::nullopt;
  const auto [at, length] = *found;
  free_.erase(found);
  if (length > size) free_[at + size] = length - size;
  return static_cast<std::uint32_t>(at);
}

void ByteRanges::give(std::uint32_t at, std::uint64_t size) {
  auto [range, is_new] = free_.try_emplace(at, whole_units(size));
  if (!is_new) return;
  if (const auto next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  const auto before = std::prev(range);
  if (before->first + before->second != range->first) return;
  before->second += range->second;
  free_.erase(range);
}

bool ByteRanges::is_free(std::uint64_t at, std::uint64_t size) const {
  auto range = free_.upper_bound(at);
  if (range == free_.begin()) return false;
  --range;
  return range->first + range->second >= at + size;
}

}  // namespace profile
