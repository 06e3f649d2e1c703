#include "process/mapping_table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace profile {
namespace {

// A JIT may map thousands of pieces. From this number on, gaps between its pieces are closed, so that the table stops
// growing.
constexpr std::size_t most_separate_anonymous = 1024;
// No real program has so many. Further mappings are not kept, and addresses there are nowhere.
constexpr std::size_t most_mappings = 32768;

bool has_offsets(CodeKind kind) { return kind != CodeKind::anonymous && kind != CodeKind::unfollowed; }

// Whether both say the same about every address that is in both, so that they may be joined.
bool same_code(const Mapping& a, const Mapping& b) {
  if (a.kind != b.kind || a.file != b.file) return false;
  return !has_offsets(a.kind) || a.start - a.offset == b.start - b.offset;
}

// Returns `mapping` without the part before `start`.
Mapping from(Mapping mapping, std::uint64_t start) {
  if (has_offsets(mapping.kind)) mapping.offset += start - mapping.start;
  mapping.start = start;
  return mapping;
}

// Returns `mapping` without the part from `end` on.
Mapping until(Mapping mapping, std::uint64_t end) {
  mapping.end = end;
  return mapping;
}

}  // namespace

std::vector<Mapping>::const_iterator MappingTable::first_behind(std::uint64_t address) const {
  return std::ranges::upper_bound(mappings_, address, {}, &Mapping::end);
}

const Mapping* MappingTable::find(std::uint64_t address) const {
  const auto at = first_behind(address);
  return at != mappings_.end() && at->start <= address ? &*at : nullptr;
}

bool MappingTable::covers(const Mapping& mapping) const {
  const Mapping* there = find(mapping.start);
  return there != nullptr && there->end >= mapping.end && same_code(*there, mapping);
}

bool MappingTable::touches(const Mapping& mapping) const {
  const auto at = first_behind(mapping.start);
  return at != mappings_.end() && at->start < mapping.end;
}

bool MappingTable::agrees(const Mapping& mapping) const {
  for (auto at = first_behind(mapping.start); at != mappings_.end() && at->start < mapping.end; ++at) {
    if (!same_code(*at, mapping)) return false;
  }
  return true;
}

void MappingTable::put(const Mapping& mapping) {
  Mapping whole = mapping;
  if (!has_offsets(whole.kind)) whole.offset = 0;
  // At most the rest of one mapping on either side, and the new mapping between them.
  std::array<Mapping, 3> pieces;
  std::size_t count = 0;
  std::optional<Mapping> behind;
  // Neighbours that only touch are looked at, too, because they may be joined.
  const auto first = std::ranges::lower_bound(mappings_, mapping.start, {}, &Mapping::end);
  auto last = first;
  for (; last != mappings_.end() && last->start <= mapping.end; ++last) {
    if (same_code(*last, whole)) {
      if (last->start < whole.start) whole.offset = last->offset;
      whole.start = std::min(whole.start, last->start);
      whole.end = std::max(whole.end, last->end);
      continue;
    }
    if (last->start < mapping.start) pieces[count++] = until(*last, mapping.start);
    if (last->end > mapping.end) behind = from(*last, mapping.end);
  }
  if (first == last && whole.kind == CodeKind::anonymous && mappings_.size() >= most_separate_anonymous &&
      first != mappings_.begin() && std::prev(first)->kind == CodeKind::anonymous) {
    std::prev(first)->end = whole.end;
    return;
  }
  if (first == last && mappings_.size() >= most_mappings) return;
  pieces[count++] = whole;
  if (behind) pieces[count++] = *behind;
  const auto at = mappings_.erase(first, last);
  mappings_.insert(at, pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(count));
}

void MappingTable::put_all(std::span<const Mapping> ascending) {
  MappingTable merged;
  merged.mappings_.reserve(mappings_.size() + ascending.size());
  auto next = ascending.begin();
  std::uint64_t put_until = 0;
  for (const Mapping& old : mappings_) {
    std::uint64_t start = std::max(old.start, put_until);
    for (; next != ascending.end() && next->start < old.end; ++next) {
      if (start < next->start) merged.put(until(from(old, start), next->start));
      merged.put(*next);
      put_until = next->end;
      start = std::max(start, put_until);
    }
    if (start < old.end) merged.put(from(old, start));
  }
  for (; next != ascending.end(); ++next) merged.put(*next);
  mappings_ = std::move(merged.mappings_);
}

}  // namespace profile
