// How much work a reader of debug information may do before it gives up. Offsets in a hostile file make a small file a
// long task: a million entries that all share one list of a million ranges. An honest file stays far below.
#pragma once

#include <cstdint>

namespace profile {

class DwarfBudget {
 public:
  // In steps of about a byte read.
  explicit DwarfBudget(std::uint64_t steps) : left_(steps) {}
  // False from the first time on that there is not enough left.
  bool take(std::uint64_t steps) {
    left_ = steps > left_ ? 0 : left_ - steps;
    return left_ != 0;
  }
  [[nodiscard]] bool spent() const { return left_ == 0; }

 private:
  std::uint64_t left_;
};

}  // namespace profile
