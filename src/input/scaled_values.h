// Some tools write values that are fractions, such as seconds, but a Profile holds whole numbers. This class counts
// them in thousandths or smaller parts of the file's unit, so that each value keeps its share of the total.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

class ScaledValues {
 public:
  // `unit` is a time in speedscope's words, whose parts are smaller times, or any other unit, whose parts are
  // "thousandths" and so on. `profile` must outlive the object, and only this object gives values to its rows.
  explicit ScaledValues(Profile& profile, std::string_view unit = {});

  // The value of the next row, which the caller adds to the profile. The values of earlier rows may change. Throws
  // Error when the sum does not fit into 64 bits. `value` is not negative, and `error` is how wrong it may be.
  [[nodiscard]] std::uint64_t value_of(std::uint64_t value);
  [[nodiscard]] std::uint64_t value_of(double value, double error = 0);
  // After the last row: sets unit and event of the profile if it counts parts. Row::samples becomes 0 then.
  void end();

 private:
  void take_smaller_parts();
  void take_larger_parts();

  Profile& profile_;
  std::span<const std::string_view> units_;  // the unit, and its parts; each is a thousand of the next
  std::size_t part_ = 0;                     // the unit of the values: index in `units_`
  double factor_ = 1;                        // of that unit
  std::uint64_t total_ = 0;                  // of all rows, in that unit
  std::uint64_t values_ = 0;                 // how many there were
};

}  // namespace profile
