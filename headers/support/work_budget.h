// Limits the work of code that reads other users' files. A small hostile file can cause a long task, for example a
// million entries that all share one list of a million ranges. Ordinary files stay far below the limit.
#pragma once

#include <cstdint>

namespace profile {

class WorkBudget {
 public:
  // A step is about the work of reading one byte.
  explicit WorkBudget(std::uint64_t steps) : left_(steps) {}
  // False as soon as the budget is spent, and from then on.
  bool take(std::uint64_t steps) {
    left_ = steps > left_ ? 0 : left_ - steps;
    return left_ != 0;
  }
  [[nodiscard]] bool spent() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

}  // namespace profile
