// A time limit that several waits share.
#pragma once

#include <algorithm>
#include <chrono>

namespace profile {

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds patience) : at_(std::chrono::steady_clock::now() + patience) {}
  // The time that is left, 0 when it is over. Rounded up, so that a wait before the deadline is never a wait of 0 ms.
  [[nodiscard]] std::chrono::milliseconds left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
    return std::max(left, std::chrono::milliseconds(0));
  }
  [[nodiscard]] bool is_over() const { return left().count() == 0; }

 private:
  std::chrono::steady_clock::time_point at_;
};

}  // namespace profile
