// Tests that samples that come late are accounted for in the tick where they lie.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "elf_fixture.h"
#include "recording/database.h"
#include "recording/recording.h"
#include "support/clock.h"

namespace {

using namespace profile;

constexpr std::uint64_t second_ns = 1'000'000'000;

struct Counts {
  std::uint64_t samples = 0;
  std::uint64_t recorded = 0;
  std::uint64_t taken = 0;
};

Counts counts_of(const std::string& path) {
  Database file(path, SQLITE_OPEN_READONLY, path);
  return {.samples = file.number("SELECT count(*) FROM samples").value_or(0),
          .recorded = file.number("SELECT sum(recorded) FROM account").value_or(0),
          .taken = file.number("SELECT sum(taken) FROM account").value_or(0)};
}

void check_counts(const Counts& counts, std::uint64_t expected) {
  CHECK(counts.samples == expected);
  CHECK(counts.recorded == expected);
  CHECK(counts.taken == expected);
}

TEST_SUITE("late samples") {
  TEST_CASE("each part of a recording has the samples of its account") {
    const std::string path = test::directory().file("late.db");
    const std::string part_path = test::directory().file("part.db");
    const std::unique_ptr<SampleRecorder> recorder = make_recorder(path, {});
    // What lasts ten seconds already.
    const std::uint64_t began_ns = monotonic_ns() - 10 * second_ns;
    recorder->begin({RecordedEvent{}}, began_ns, [](auto...) { return ProcessFacts{}; });
    const auto profile = std::make_shared<Profile>();
    Row row;
    row.process = profile->process(7, 0, "late");
    row.tid = 7;
    row.value = row.samples = 1;
    const auto add = [&](std::initializer_list<std::uint64_t> times_ms) {
      std::vector<Sample> samples;
      for (const std::uint64_t ms : times_ms) {
        samples.push_back({.row = row, .time_ns = began_ns + ms * 1'000'000, .cpu = 1});
      }
      recorder->add(0, profile, samples);
      recorder->commit({Account{}});
    };
    add({1000, 2000});
    // The second one has the time of the last sample of the tick before.
    add({1500, 2000, 3000});
    add({});
    add({500, 4000, 5000});

    std::string part;
    recorder->save(7.5, [&](std::string bytes) { part = std::move(bytes); });
    recorder->finish({Account{}}, monotonic_ns());
    std::ofstream(part_path, std::ios::binary) << part;
    check_counts(counts_of(path), 8);
    check_counts(counts_of(part_path), 3);
  }
}

}  // namespace
