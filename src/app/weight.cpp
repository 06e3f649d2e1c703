#include "app/weight.h"

#include "support/error.h"

namespace profile {

bool is_time(const RunInfo& run) { return run.unit == Unit::nanoseconds || ns_per_sample(run) != 0; }

void become_time(Profile& profile, const std::string& name) {
  const std::uint64_t factor = ns_per_sample(profile.run);
  if (factor != 0 && !profile.weigh(factor, Unit::nanoseconds)) {
    throw Error(name + ": its values add up to more than 2^64 - 1");
  }
  profile.run.frequency_hz = profile.run.period_events = 0;
}

}  // namespace profile
