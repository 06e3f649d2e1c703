// Tests ByteRanges: it gives out ranges of a space from the bottom.
// When all ranges are given back, they are one range again.
#include <doctest/doctest.h>

#include <random>
#include <utility>
#include <vector>

#include "sampling/byte_ranges.h"

using namespace profile;

TEST_CASE("ranges follow each other, and a range that was given back is given out again") {
  ByteRanges ranges(160);
  CHECK(ranges.take(10) == 0);
  CHECK(ranges.take(16) == 16);
  CHECK(ranges.take(17) == 32);
  CHECK(ranges.is_free(64, 96));
  CHECK_FALSE(ranges.is_free(63, 2));
  ranges.give(16, 16);
  CHECK(ranges.take(20) == 64);
  CHECK(ranges.take(8) == 16);
  CHECK(ranges.take(64) == 96);
  CHECK_FALSE(ranges.take(1));
}

TEST_CASE("ranges never overlap, and the whole space is free when all are given back") {
  constexpr std::uint64_t size = 1 << 16;
  ByteRanges ranges(size);
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same each time
  std::vector<bool> taken(size);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> held;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t bytes = 1 + random() % 900;
    if (const auto at = ranges.take(bytes)) {
      for (std::uint64_t byte = *at; byte < *at + bytes; ++byte) {
        CHECK_FALSE(taken[byte]);
        taken[byte] = true;
      }
      held.emplace_back(*at, bytes);
    }
    if (random() % 2 == 0 || held.empty()) continue;
    std::swap(held[random() % held.size()], held.back());
    const auto [at, count] = held.back();
    held.pop_back();
    for (std::uint64_t byte = at; byte < at + count; ++byte) taken[byte] = false;
    ranges.give(at, count);
  }
  for (const auto& [at, bytes] : held) ranges.give(at, bytes);
  CHECK(ranges.is_free(0, size));
  CHECK(ranges.take(size) == 0);
}
