// Divides what is limited for a whole run, such as memory in the kernel, among the owners of the files that need it. A
// user who takes all that he can get must leave something for every other.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace profile {

class Shares {
 public:
  explicit Shares(std::uint64_t whole) : of_users_(whole / 4 * 3) {}

  // Whether the owner (CodeFile::owner()) may have so much more. Root may have what there is. A quarter is for root
  // alone, and of the rest each other owner may have half of what the others have left.
  [[nodiscard]] bool may_take(std::uint64_t owner, std::uint64_t amount) const {
    if (owner == 0) return true;
    const std::uint64_t own = taken_by(owner);
    const std::uint64_t others = taken_by_users_ - own;
    return others < of_users_ && own + amount <= (of_users_ - others) / 2;
  }
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
