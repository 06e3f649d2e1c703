#include "app/weight.h"

#include <string_view>

#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view of_time = "nanoseconds";

}  // namespace

std::uint64_t ns_per_sample(const RunInfo& run) { return run.unit == "samples" ? clock_period_ns(run) : 0; }

bool is_time(const RunInfo& run) { return run.unit == of_time || ns_per_sample(run) != 0; }

void become_time(Profile& profile, const std::string& name) {
  const std::uint64_t factor = ns_per_sample(profile.run);
  if (factor != 0 && !profile.weigh(factor, of_time)) {
    throw Error(name + ": its values add up to more than 2^64 - 1");
  }
  profile.run.frequency_hz = profile.run.period_events = 0;
}

}  // namespace profile
