// Tests the sizes of the kernel's maps for a given sampling rate.
#include <doctest/doctest.h>

#include "sampling/record_maps.h"

using namespace profile;

TEST_CASE("the maps hold the samples of ten seconds, up to the largest size") {
  const auto sized = [](std::uint64_t rate_hz, int cpus) { return sized_for_rate({}, rate_hz, cpus); };
  CHECK(sized(49, 1).stack_entries == 2048);
  CHECK(sized(49, 1).histogram_entries == 2048);
  CHECK(sized(99, 4).stack_entries == 4096);
  CHECK(sized(99, 4).histogram_entries == 4096);
  CHECK(sized(999, 2).stack_entries == 16384);
  CHECK(sized(999, 2).histogram_entries == 32768);
  CHECK(sized(UINT64_MAX, 8192).stack_entries == 16384);
  CHECK(sized(UINT64_MAX, 8192).histogram_entries == 40960);
}

TEST_CASE("the maps have the sizes of the options if the source has no rate or the user chose the sizes") {
  CHECK(sized_for_rate({}, 0, 2).stack_entries == 16384);
  CHECK(sized_for_rate({}, 0, 2).histogram_entries == 40960);
  SamplingOptions options;
  options.sizes_are_asked = true;
  CHECK(sized_for_rate(options, 49, 2).stack_entries == 16384);
  options.histogram_entries = 16;
  CHECK(sized_for_rate(options, 49, 2).histogram_entries == 16);
}

TEST_CASE("the maps take a part of the memory that there is, unless the user chose the sizes") {
  CHECK(sized_for_memory({}, UINT64_MAX).stack_entries == 16384);
  CHECK(sized_for_memory({}, UINT64_MAX).histogram_entries == 40960);
  CHECK(sized_for_memory({}, 64U << 20).stack_entries == 4096);
  CHECK(sized_for_memory({}, 64U << 20).histogram_entries == 4096);
  CHECK(sized_for_memory({}, 0).stack_entries == 256);
  SamplingOptions options;
  options.sizes_are_asked = true;
  CHECK(sized_for_memory(options, 0).stack_entries == 16384);
}
