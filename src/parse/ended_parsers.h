// Counts the parsers that the files of each owner have ended. Each costs seconds, so the files of a user who has ended
// too many are not read any more. Root's files always are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace profile {

class EndedParsers {
 public:
  static constexpr unsigned most_by_owner = 3;
  static constexpr std::size_t most_owners = 4096;

  // The owners are as CodeFile::owner().
  void add(std::uint64_t owner) {
    if (owner == root) return;
    // A user may have many owners' numbers (subordinate ids). Who ended none must not pay for them, so what does not
    // fit is not counted: those cost time, as the first ones did.
    if (by_owner_.size() < most_owners || by_owner_.contains(owner)) ++by_owner_[owner];
  }
  [[nodiscard]] bool are_too_many(std::uint64_t owner) const {
    const auto found = by_owner_.find(owner);
    return found != by_owner_.end() && found->second >= most_by_owner;
  }

 private:
  static constexpr std::uint64_t root = 0;

  std::unordered_map<std::uint64_t, unsigned> by_owner_;
};

}  // namespace profile
