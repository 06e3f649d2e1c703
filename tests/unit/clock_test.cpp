// Unix time that jumps, by a clock of the test's own: that of the machine is never set.
#include <doctest/doctest.h>

#include <cstdint>

#include "support/clock.h"

using namespace profile;

TEST_CASE("times follow a clock that is set, either way, and keep their distance between") {
  std::uint64_t offset = 1'700'000'000 * ns_per_s;
  UnixClock clock([&offset] { return offset; });
  const std::uint64_t first = offset;
  CHECK(clock.at(5 * ns_per_s) == first + 5 * ns_per_s);
  // What two readings of two clocks differ by anyway.
  for (const int noise : {+300, -900, +999'999, -999'999}) {
    offset = first + static_cast<std::uint64_t>(noise);
    clock.look();
    CHECK(clock.at(6 * ns_per_s) == first + 6 * ns_per_s);
  }
  offset = first + 3600 * ns_per_s;  // a machine has slept
  CHECK(clock.at(7 * ns_per_s) == first + 7 * ns_per_s);
  clock.look();
  CHECK(clock.at(7 * ns_per_s) == first + 3607 * ns_per_s);
  offset = first - 10 * ns_per_s;
  clock.look();
  CHECK(clock.at(8 * ns_per_s) == first - 2 * ns_per_s);
  // Before 1970 is as good as any other time: boards without a battery begin there, whatever they have run for.
  offset = static_cast<std::uint64_t>(0) - 3 * ns_per_s;
  clock.look();
  CHECK(clock.at(8 * ns_per_s) == 5 * ns_per_s);
}
