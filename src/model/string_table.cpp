#include "model/string_table.h"

#include <algorithm>

#include "support/hash.h"

namespace profile {
namespace {

// Each block is twice as large as the one before it, so that a small table is small and a large one has few blocks.
constexpr std::size_t smallest_block = 256;
constexpr std::size_t largest_block = std::size_t{1} << 20;

}  // namespace

StringTable::StringTable(const StringTable& other) {
  for (const std::string_view text : other.strings_) intern(text);
}

StringTable& StringTable::operator=(const StringTable& other) {
  if (this != &other) *this = StringTable(other);
  return *this;
}

StringId StringTable::intern(std::string_view text) {
  const std::uint64_t hash = hash_of_text(text);
  if (const auto known = ids_.find(hash, [&](std::uint32_t i) { return strings_[i] == text; })) {
    return static_cast<StringId>(*known);
  }
  const std::size_t id = strings_.size();
  strings_.push_back(keep(text));
  ids_.add(hash, id);
  return static_cast<StringId>(id);
}

std::string_view StringTable::keep(std::string_view text) {
  if (text.empty()) return {};
  if (blocks_.empty() || text.size() > block_bytes_ - used_bytes_) {
    block_bytes_ = std::max(std::clamp(2 * block_bytes_, smallest_block, largest_block), text.size());
    used_bytes_ = 0;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes_));
  }
  char* const begin = blocks_.back().get() + used_bytes_;
  std::copy(text.begin(), text.end(), begin);
  used_bytes_ += text.size();
  return {begin, text.size()};
}

}  // namespace profile
