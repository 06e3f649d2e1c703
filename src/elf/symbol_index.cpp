#include "elf/symbol_index.h"

#include <algorithm>

namespace profile {

SymbolIndex::SymbolIndex(std::span<const std::uint64_t> addresses)
    : addresses_(addresses), tree_(2 * addresses.size()), nearest_(addresses.size()), points_(addresses.size() + 1) {}

// Called once for each symbol of a program. It has no branches that depend on the answer, because the answer is as
// unpredictable as a random number.
std::size_t SymbolIndex::first_at_or_above(std::uint64_t address) const {
  const std::uint64_t* const values = addresses_.data();
  std::size_t first = 0;
  for (std::size_t left = addresses_.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    first += values[first + half - 1] < address ? half : 0;
    left -= half;
  }
  return first;
}

bool SymbolIndex::add_sized(std::uint64_t start, std::uint64_t size) {
  const std::size_t first = first_at_or_above(start);
  add_point(first, start);
  if (first == addresses_.size()) return false;
  add_start(first, start, 0);
  const std::uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
  const bool covers = addresses_[first] < end;
  const std::size_t last = covers ? first_at_or_above(end) : first;
  add_point(last, end);
  if (!covers) return false;
  const auto improve = [start, end](Range& range) {
    if (range.end == 0 || start > range.start || (start == range.start && end < range.end)) range = {start, end};
  };
  for (std::size_t low = first + addresses_.size(), high = last + addresses_.size(); low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) improve(tree_[low++]);
    if (high % 2 == 1) improve(tree_[--high]);
  }
  return true;
}

void SymbolIndex::add_point(std::size_t slot, std::uint64_t point) {
  Points& points = points_[slot];
  points.lowest = std::min(points.lowest, point);
  points.highest = std::max(points.highest, point);
}

void SymbolIndex::add_start(std::size_t slot, std::uint64_t start, std::uint64_t limit) {
  Nearest& nearest = nearest_[slot];
  if (!nearest.filled || start > nearest.start) {
    nearest = {start, limit, true};
  } else if (start == nearest.start) {
    nearest.limit = std::max(nearest.limit, limit);
  }
}

bool SymbolIndex::add_unsized(std::uint64_t start, std::uint64_t limit) {
  const std::size_t slot = first_at_or_above(start);
  add_point(slot, start);
  // The limit is mostly the end of the section, the same for all symbols in it.
  if (limit > start && limit != last_limit_) {
    add_point(first_at_or_above(limit), limit);
    last_limit_ = limit;
  }
  if (slot == addresses_.size()) return false;
  add_start(slot, start, limit);
  return addresses_[slot] < limit && nearest_[slot].start == start;
}

void SymbolIndex::add_boundary(std::uint64_t start) { add_unsized(start, 0); }

bool SymbolIndex::matters(std::uint64_t start) {
  const std::size_t slot = first_at_or_above(start);
  add_point(slot, start);
  return slot < addresses_.size() && (!nearest_[slot].filled || start >= nearest_[slot].start);
}

std::vector<std::optional<SymbolRange>> SymbolIndex::answers() const {
  std::vector<std::optional<SymbolRange>> answers(addresses_.size());
  Nearest nearest;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    if (nearest_[i].filled) nearest = nearest_[i];
    Range best;
    for (std::size_t node = i + addresses_.size(); node > 0; node /= 2) {
      const Range& range = tree_[node];
      if (range.end == 0) continue;
      const bool inner = range.start > best.start || (range.start == best.start && range.end < best.end);
      if (best.end == 0 || inner) best = range;
    }
    if (best.end != 0) answers[i] = SymbolRange{best.start, best.end - best.start};
    const bool inner = best.end == 0 || nearest.start > best.start;
    if (inner && nearest.filled && addresses_[i] < nearest.limit) answers[i] = SymbolRange{nearest.start, 0};
  }
  return answers;
}

std::vector<ValidRange> SymbolIndex::valid_ranges() const {
  std::vector<ValidRange> reaches(addresses_.size());
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    below = std::max(below, points_[i].highest);
    reaches[i].stop_at(addresses_[i], below);
  }
  std::uint64_t above = UINT64_MAX;
  for (std::size_t i = reaches.size(); i > 0; --i) {
    above = std::min(above, points_[i].lowest);
    reaches[i - 1].stop_at(addresses_[i - 1], above);
  }
  return reaches;
}

}  // namespace profile
