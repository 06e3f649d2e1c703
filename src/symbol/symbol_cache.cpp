#include "symbol/symbol_cache.h"

#include <algorithm>

#include "support/hash.h"

namespace profile {

// Other users choose the places.
std::size_t PlaceHash::operator()(const CodeOffset& place) const noexcept {
  return hash_of(hash_secret(), place.at.value * 2 + (place.is_return ? 1 : 0));
}
std::size_t PlaceHash::operator()(const RuntimeAddress& address) const noexcept {
  return hash_of(hash_secret(), address.value);
}

void RangeCache::add(FileOffset offset, const ValidRange& valid_range, const NameOfCode& place) {
  const std::uint64_t before = std::min(valid_range.before, offset.value);
  const std::uint64_t last = offset.value + std::min(valid_range.after, UINT64_MAX - offset.value);
  NameOfCode first = place;
  first.address.value -= before;
  const auto [known, is_new] = ranges_.try_emplace(offset.value - before, Range{.last = last, .place = first});
  if (!is_new) known->second.last = std::max(known->second.last, last);
}

std::optional<NameOfCode> RangeCache::find(FileOffset offset) const {
  auto range = ranges_.upper_bound(offset.value);
  if (range == ranges_.begin() || offset.value > (--range)->second.last) return std::nullopt;
  NameOfCode place = range->second.place;
  place.address.value += offset.value - range->first;
  return place;
}

}  // namespace profile
