#include "symbol/answers.h"

#include <algorithm>
#include <utility>

namespace profile {

std::vector<RuntimeAddress> addresses_of(std::span<const Place> places) {
  std::vector<RuntimeAddress> addresses;
  addresses.reserve(places.size());
  for (const Place& place : places) addresses.push_back(RuntimeAddress{place.at});
  return addresses;
}

std::size_t Answers::Hash::operator()(const Place& place) const noexcept {
  return std::hash<std::uint64_t>{}(place.at * 2 + (place.is_return ? 1 : 0));
}

Answer* Answers::at(const Place& place) {
  const auto [found, is_new] = known_.try_emplace(place);
  if (is_new) pending_.push_back(place);
  return &found->second;
}

std::vector<Place> Answers::take_pending() {
  std::vector<Place> places;
  places.swap(pending_);
  std::sort(places.begin(), places.end());
  return places;
}

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
