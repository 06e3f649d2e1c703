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

Unnamed unnamed_by(FileFault fault) {
  switch (fault) {
    case FileFault::none:
      return Unnamed::named;
    case FileFault::gone:
      return Unnamed::file_gone;
    case FileFault::changed:
      return Unnamed::file_changed;
    case FileFault::malformed:
      return Unnamed::file_malformed;
    case FileFault::no_access:
      return Unnamed::no_access;
    case FileFault::no_answer:
      return Unnamed::no_answer;
    case FileFault::parser_gave_up:
      return Unnamed::parser_gave_up;
    case FileFault::too_large:
      return Unnamed::too_large;
    case FileFault::out_of_time:
      return Unnamed::out_of_time;
    case FileFault::not_opened:
    case FileFault::count:
      break;
  }
  return Unnamed::not_opened;
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
