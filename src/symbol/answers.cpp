#include "symbol/answers.h"

#include <algorithm>
#include <utility>

namespace profile {

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

}  // namespace profile
