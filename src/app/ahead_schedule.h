// Decides when a run takes and names samples before its end. The times grow apart, because each costs something; one
// more comes shortly before a known end.
#pragma once

#include <optional>

namespace profile {

class AheadSchedule {
 public:
  // `duration_s`: of the run, if it is known.
  explicit AheadSchedule(std::optional<double> duration_s) : duration_s_(duration_s) {}

  // Whether to work ahead now, `elapsed_s` after the start. Call it a few times a second; a true answer counts as done.
  [[nodiscard]] bool is_due(double elapsed_s) {
    const bool is_last = duration_s_ && elapsed_s > *duration_s_ - last_s;
    if (is_last ? was_last_ : elapsed_s < next_s_) return false;
    was_last_ = is_last;
    next_s_ = 2 * elapsed_s;
    return true;
  }

 private:
  static constexpr double first_s = 0.5;  // there is something to name by then
  static constexpr double last_s = 0.3;   // before the end: two calls at most, and enough time for most of the work

  std::optional<double> duration_s_;
  double next_s_ = first_s;
  bool was_last_ = false;
};

}  // namespace profile
