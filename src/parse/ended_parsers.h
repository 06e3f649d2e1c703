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
    if (owner != root) ++by_owner_[counted_as(owner)];
  }
  [[nodiscard]] bool are_too_many(std::uint64_t owner) const {
    const auto found = by_owner_.find(counted_as(owner));
    return owner != root && found != by_owner_.end() && found->second >= most_by_owner;
  }

 private:
  static constexpr std::uint64_t root = 0;
  static constexpr std::uint64_t other_owners = UINT64_MAX;  // nobody's number

  // A user may have many owners' numbers (user namespaces): beyond most_owners all new ones are counted as one.
  [[nodiscard]] std::uint64_t counted_as(std::uint64_t owner) const {
    return by_owner_.size() < most_owners || by_owner_.contains(owner) ? owner : other_owners;
  }

  std::unordered_map<std::uint64_t, unsigned> by_owner_;
};

}  // namespace profile
