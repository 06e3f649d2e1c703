#include "app/cpu_limit.h"

#include <doctest/doctest.h>

#include "support/clock.h"

namespace profile {
namespace {

// A profiler that costs `fixed` of a CPU, and `by_samples` more with all ticks.
struct Load {
  double fixed = 0;
  double by_samples = 0;
  CpuLimit limit{1};
  std::uint64_t at_ns = 1000 * ns_per_s;
  double cost_ns = 0;
  std::uint32_t ticks = 1;

  void run(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      at_ns += ns_per_s;
      cost_ns += (fixed + by_samples / ticks) * static_cast<double>(ns_per_s);
      ticks = limit.look(at_ns, static_cast<std::uint64_t>(cost_ns));
    }
  }
};

}  // namespace

TEST_CASE("what costs less than the limit takes all ticks") {
  Load load{.fixed = 0.001, .by_samples = 0.008};
  load.run(60);
  CHECK(load.ticks == 1);
}

TEST_CASE("what costs more is brought below the limit, and stays there") {
  Load load{.by_samples = 0.07};
  load.run(5);
  CHECK(load.ticks == 1);  // the first seconds do not count
  load.run(15);
  CHECK(load.ticks >= 7);
  CHECK(load.ticks <= 16);
  const std::uint32_t settled = load.ticks;
  load.run(120);
  CHECK(load.ticks == settled);
}

TEST_CASE("when the costs fall, more ticks are taken, up to all") {
  Load load{.by_samples = 0.3};
  load.run(30);
  CHECK(load.ticks >= 30);
  load.by_samples = 0.005;
  load.run(120);
  CHECK(load.ticks == 1);
}

TEST_CASE("costs that no rate can lower end at the fewest samples") {
  Load load{.fixed = 0.5};
  load.run(60);
  CHECK(load.ticks == CpuLimit::most_ticks);
}

TEST_CASE("the time of this process is counted") {
  OwnCpuTime time;
  const std::uint64_t before_ns = time.total_ns();
  const std::uint64_t end_ns = monotonic_ns() + 20'000'000;
  while (monotonic_ns() < end_ns) {
  }
  CHECK(time.total_ns() > before_ns);
}

}  // namespace profile
