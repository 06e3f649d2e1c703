#include "symbol/known_ranges.h"

#include <algorithm>

namespace profile {

void KnownRanges::add(std::uint64_t offset, const Reach& reach, const KnownPlace& place) {
  const std::uint64_t before = std::min(reach.before, offset);
  const std::uint64_t last = offset + std::min(reach.after, UINT64_MAX - offset);
  KnownPlace first = place;
  first.address.value -= before;
  const auto [known, is_new] = ranges_.try_emplace(offset - before, Range{.last = last, .place = first});
  if (!is_new) known->second.last = std::max(known->second.last, last);
}

std::optional<KnownPlace> KnownRanges::find(std::uint64_t offset) const {
  auto range = ranges_.upper_bound(offset);
  if (range == ranges_.begin() || offset > (--range)->second.last) return std::nullopt;
  KnownPlace place = range->second.place;
  place.address.value += offset - range->first;
  return place;
}

}  // namespace profile
