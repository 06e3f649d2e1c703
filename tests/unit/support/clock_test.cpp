// Tests times of the wall clock when that clock jumps.
// The test has an offset of its own and never sets the clock of the machine.
#include <doctest/doctest.h>

#include <cstdint>

#include "support/clock.h"

using namespace profile;

TEST_CASE("a time is shown in the unit that suits it") {
  CHECK(time_text(0) == "0.000 us");
  CHECK(time_text(3'000) == "3.000 us");
  CHECK(time_text(999'999) == "999.999 us");
  CHECK(time_text(1'000'000) == "1.000 ms");
  CHECK(time_text(999'999'400) == "999.999 ms");
  CHECK(time_text(12 * ns_per_s + 345'000'000) == "12.345 s");
}

TEST_CASE("times follow a clock that is set forward or back, and keep their distance") {
  std::uint64_t offset = 1'700'000'000 * ns_per_s;
  UnixClock clock([&offset] { return offset; });
  const std::uint64_t first = offset;
  CHECK(clock.at(5 * ns_per_s) == first + 5 * ns_per_s);
  // Differences below 1 ms are noise: two clocks cannot be read at the same instant.
  for (const int noise : {+300, -900, +999'999, -999'999}) {
    offset = first + static_cast<std::uint64_t>(noise);
    clock.look();
    CHECK(clock.at(6 * ns_per_s) == first + 6 * ns_per_s);
  }
  offset = first + 3600 * ns_per_s;  // the machine was suspended for an hour
  CHECK(clock.at(7 * ns_per_s) == first + 7 * ns_per_s);
  clock.look();
  CHECK(clock.at(7 * ns_per_s) == first + 3607 * ns_per_s);
  offset = first - 10 * ns_per_s;
  clock.look();
  CHECK(clock.at(8 * ns_per_s) == first - 2 * ns_per_s);
  // The offset may be negative: a board without a battery starts its wall clock in 1970, whatever its uptime is.
  offset = static_cast<std::uint64_t>(0) - 3 * ns_per_s;
  clock.look();
  CHECK(clock.at(8 * ns_per_s) == 5 * ns_per_s);
}
