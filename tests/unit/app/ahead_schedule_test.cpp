// When a run works ahead of its end.
#include <doctest/doctest.h>

#include <vector>

#include "app/ahead_schedule.h"

namespace profile {
namespace {

// The quarters of a second at which it is due in a run of so many seconds.
std::vector<double> due_in(AheadSchedule schedule, double seconds) {
  std::vector<double> times;
  for (double at = 0.25; at < seconds; at += 0.25) {
    if (schedule.is_due(at)) times.push_back(at);
  }
  return times;
}

TEST_CASE("a run without a known end works ahead at growing intervals") {
  CHECK(due_in(AheadSchedule(std::nullopt), 20) == std::vector<double>{0.5, 1, 2, 4, 8, 16});
}

TEST_CASE("a run with a known end works ahead once more just before its end") {
  CHECK(due_in(AheadSchedule(5), 5) == std::vector<double>{0.5, 1, 2, 4, 4.75});
  CHECK(due_in(AheadSchedule(0.4), 0.4) == std::vector<double>{0.25});
}

}  // namespace
}  // namespace profile
