// Divides what is limited for a whole run, such as memory in the kernel, among the owners of the files that need it. A
// user who takes all that he can get must leave something for every other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace profile {

class Shares {
 public:
  explicit Shares(std::uint64_t whole) : of_users_(whole / 4 * 3) {}

  // How much more the owner (CodeFile::owner()) may have. Root may have what there is. A quarter is for root alone, and
  // of the rest each other owner may have half of what the others have left.
  [[nodiscard]] std::uint64_t left_for(std::uint64_t owner) const {
    if (owner == 0) return UINT64_MAX;
    const std::uint64_t own = taken_by(owner);
    const std::uint64_t others = taken_by_users_ - own;
    const std::uint64_t share = others < of_users_ ? (of_users_ - others) / 2 : 0;
    return share - std::min(share, own);
  }
  [[nodiscard]] bool may_take(std::uint64_t owner, std::uint64_t amount) const { return amount <= left_for(owner); }
  void take(std::uint64_t owner, std::uint64_t amount) {
    if (owner == 0 || amount == 0) return;
    taken_[owner] += amount;
    taken_by_users_ += amount;
  }
  // Gives back what was taken.
  void give(std::uint64_t owner, std::uint64_t amount) {
    const auto found = taken_.find(owner);
    if (found == taken_.end()) return;
    found->second -= amount;
    taken_by_users_ -= amount;
    if (found->second == 0) taken_.erase(found);
  }
  // 0 for root.
  [[nodiscard]] std::uint64_t taken_by(std::uint64_t owner) const {
    const auto found = taken_.find(owner);
    return found != taken_.end() ? found->second : 0;
  }

 private:
  std::uint64_t of_users_;
  std::uint64_t taken_by_users_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> taken_;  // by owner, but root
};

}  // namespace profile
