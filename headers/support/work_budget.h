// How much work readers of other people's files may do before they give up. Offsets in a hostile file make a small file
// a long task: a million entries that all share one list of a million ranges; and hostile files are made as easily as
// one. Honest ones stay far below.
#pragma once

#include <cstdint>

namespace profile {

class WorkBudget {
 public:
  // In steps of about a byte read.
  explicit WorkBudget(std::uint64_t steps) : left_(steps) {}
  // False from the first time on that there is not enough left.
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
