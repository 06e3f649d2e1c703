#include "symbol/symbol_cache.h"

#include <algorithm>
#include <utility>

#include "support/hash.h"

namespace profile {

std::vector<RuntimeAddress> addresses_of(std::span<const CodeOffset> places) {
  std::vector<RuntimeAddress> addresses;
  addresses.reserve(places.size());
  for (const CodeOffset& place : places) addresses.push_back(RuntimeAddress{place.at});
  return addresses;
}

std::size_t SymbolCache::Hash::operator()(const CodeOffset& place) const noexcept {
  return hash_of(hash_secret(), place.at * 2 + (place.is_return ? 1 : 0));  // other users choose the places
}

Answer* SymbolCache::at(const CodeOffset& place) {
  const auto [found, is_new] = known_.try_emplace(place);
  if (is_new) pending_.push_back(place);
  return &found->second;
}

std::vector<CodeOffset> SymbolCache::take_pending() {
  std::vector<CodeOffset> places = std::exchange(pending_, {});
  std::ranges::sort(places);
  return places;
}

void RangeCache::add(std::uint64_t offset, const ValidRange& valid_range, const NameOfCode& place) {
  const std::uint64_t before = std::min(valid_range.before, offset);
  const std::uint64_t last = offset + std::min(valid_range.after, UINT64_MAX - offset);
  NameOfCode first = place;
  first.address.value -= before;
  const auto [known, is_new] = ranges_.try_emplace(offset - before, Range{.last = last, .place = first});
  if (!is_new) known->second.last = std::max(known->second.last, last);
}

std::optional<NameOfCode> RangeCache::find(std::uint64_t offset) const {
  auto range = ranges_.upper_bound(offset);
  if (range == ranges_.begin() || offset > (--range)->second.last) return std::nullopt;
  NameOfCode place = range->second.place;
  place.address.value += offset - range->first;
  return place;
}

}  // namespace profile
