#include "input/scaled_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "input/profile_reader.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::uint64_t step = 1000;
// The first is the unit of the file.
constexpr std::string_view parts[] = {
    "", "thousandths", "millionths", "billionths", "trillionths", "quadrillionths", "quintillionths"};
constexpr std::string_view times[] = {"microseconds", "nanoseconds", "picoseconds", "femtoseconds", "attoseconds"};

// Values that have so many parts each, on average, keep their shares when they are rounded. Fewer digits are more
// readable.
constexpr std::uint64_t enough = 10'000;
// A double has 15 to 17 digits, and the last ones are often wrong.
constexpr double rounding_error = 1e-9;

Error too_large_sum() { return Error("the values add up to more than 2^64 - 1"); }

}  // namespace

std::uint64_t parts_of_one(std::string_view unit) {
  std::uint64_t count = 1;
  for (const std::string_view part : parts) {
    if (!part.empty() && part == unit) return count;
    count *= step;
  }
  return 0;
}

ScaledValues::ScaledValues(Profile& profile, std::string_view unit) : profile_(profile), units_(parts) {
  const auto* const time = std::ranges::find(times, unit);
  if (time != std::end(times)) units_ = std::span(times).subspan(static_cast<std::size_t>(time - std::begin(times)));
}

std::uint64_t ScaledValues::value_of(std::uint64_t value) {
  ++values_;
  std::uint64_t scaled = value;
  std::uint64_t sum = 0;
  for (;;) {
    if (!__builtin_mul_overflow(value, static_cast<std::uint64_t>(factor_), &scaled) &&
        !__builtin_add_overflow(total_, scaled, &sum)) {
      break;
    }
    if (part_ == 0) throw too_large_sum();
    take_larger_parts();
  }
  total_ = sum;
  return scaled;
}

std::uint64_t ScaledValues::value_of(double value, double error) {
  ++values_;
  const auto is_too_coarse = [&] {
    const double scaled = value * factor_;
    const bool is_whole = std::abs(scaled - std::round(scaled)) <= std::max(scaled * rounding_error, error * factor_);
    return !is_whole && static_cast<double>(total_) + scaled < static_cast<double>(enough * values_) &&
           part_ + 1 < units_.size();
  };
  while (is_too_coarse()) take_smaller_parts();
  while (part_ != 0 && static_cast<double>(total_) + value * factor_ >= 0x1p63) take_larger_parts();
  const double scaled = std::round(value * factor_);
  if (scaled >= 0x1p64) throw Error("its value is larger than 2^64 - 1");
  const auto whole = static_cast<std::uint64_t>(scaled);
  if (__builtin_add_overflow(total_, whole, &total_)) throw too_large_sum();
  return whole;
}

void ScaledValues::end() {
  while (part_ != 0 && total_ / step >= enough * values_) take_larger_parts();
  if (part_ == 0) return;
  profile_.run.unit = profile_.run.event = units_[part_];
  profile_.change_rows([](Row& row) { row.samples = 0; });
}

// Called only while the total is small, so the product fits.
void ScaledValues::take_smaller_parts() {
  ++part_;
  factor_ *= step;
  total_ *= step;
  profile_.change_rows([](Row& row) { row.value *= step; });
}

void ScaledValues::take_larger_parts() {
  --part_;
  factor_ /= step;
  total_ = 0;
  profile_.change_rows([this](Row& row) {
    row.value = row.value / step + (row.value % step >= step / 2 ? 1 : 0);
    total_ += row.value;
  });
}

}  // namespace profile
