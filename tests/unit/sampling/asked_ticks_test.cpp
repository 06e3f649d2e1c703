// Tests how many samples a clock asks for while it is on.
// The kernel takes fewer samples when it leaves ticks out, or when a CPU is idle.
#include "sampling/asked_ticks.h"

#include <doctest/doctest.h>

#include <map>
#include <utility>

using namespace profile;

namespace {

constexpr std::uint64_t ms = 1'000'000;

IdleTimes of_cpus(std::map<int, std::uint64_t> ns_of_cpu, std::uint64_t at_ns = 0) {
  return {.at_ns = at_ns, .ns_of_cpu = std::move(ns_of_cpu)};
}

}  // namespace

TEST_CASE("the parts of a run request as many samples as the whole run") {
  AskedTicks ticks(10 * ms, [] { return IdleTimes{}; });
  CHECK(ticks.take(95 * ms, 0) == 9);
  CHECK(ticks.take(95 * ms, 0) == 0);
  CHECK(ticks.take(205 * ms, 0) == 11);
}

TEST_CASE("the number of requested samples is zero if the rate is unknown") {
  AskedTicks ticks(0, [] { return IdleTimes{}; });
  ticks.note_idle();
  CHECK(ticks.take(1000 * ms, 5) == 0);
}

TEST_CASE("the time of idle CPUs does not count if the kernel takes no samples there") {
  std::uint64_t idle = 7'000 * ms;
  AskedTicks ticks(10 * ms, [&] { return of_cpus({{0, idle}}); });
  ticks.note_idle();
  idle += 900 * ms;
  ticks.note_idle();
  CHECK(ticks.take(1'000 * ms, 0) == 10);
  idle += 100 * ms;
  ticks.note_idle();
  CHECK(ticks.take(2'000 * ms, 0) == 90);
}

TEST_CASE("the time of idle CPUs counts if the kernel takes samples there, up to the time that has passed") {
  std::uint64_t idle = 7'000 * ms;
  AskedTicks ticks(10 * ms, [&] { return of_cpus({{0, idle}}); });
  ticks.note_idle();
  idle += 900 * ms;
  ticks.note_idle();
  CHECK(ticks.take(1'000 * ms, 90) == 100);
  // The CPU is busy in this second: its 100 ticks are asked for, although no sample is taken.
  CHECK(ticks.take(2'000 * ms, 0) == 100);
  idle += 500 * ms;
  ticks.note_idle();
  CHECK(ticks.take(2'500 * ms, 60) == 50);
}

TEST_CASE("one idle CPU can take samples while another idle CPU takes none") {
  IdleTimes idle = of_cpus({{0, 7'000 * ms}, {1, 5'000 * ms}});
  AskedTicks ticks(10 * ms, [&] { return idle; });
  ticks.note_idle();
  idle = of_cpus({{0, 8'000 * ms}, {1, 6'000 * ms}});
  ticks.note_idle();
  CHECK(ticks.take(2'000 * ms, 99) == 99);
}

TEST_CASE("idle time can be longer than reported, by the precision of the kernel") {
  IdleTimes idle = of_cpus({{0, 7'000 * ms}, {1, 5'000 * ms}});
  idle.known_to_ns = 10 * ms;
  AskedTicks ticks(ms, [&] { return idle; });
  ticks.note_idle();
  idle.ns_of_cpu = {{0, 7'990 * ms}, {1, 5'000 * ms}};
  ticks.note_idle();
  CHECK(ticks.take(2'000 * ms, 0) == 1'000);
}

TEST_CASE("a CPU that comes online counts as not idle before that") {
  IdleTimes idle = of_cpus({{0, 7'000 * ms}}, 0);
  AskedTicks ticks(10 * ms, [&] { return idle; });
  ticks.note_idle();
  idle = of_cpus({{0, 7'000 * ms}, {1, 5'000 * ms}}, 500 * ms);
  ticks.note_idle();
  idle = of_cpus({{0, 7'000 * ms}, {1, 5'300 * ms}}, 1'000 * ms);
  ticks.note_idle();
  CHECK(ticks.take(1'500 * ms, 0) == 120);
}

TEST_CASE("a CPU that goes offline does not change the idle time of the other CPUs") {
  IdleTimes idle = of_cpus({{0, 7'000 * ms}, {1, 5'000 * ms}}, 0);
  AskedTicks ticks(10 * ms, [&] { return idle; });
  ticks.note_idle();
  idle = of_cpus({{0, 7'400 * ms}, {1, 5'100 * ms}}, 1'000 * ms);
  ticks.note_idle();
  CHECK(ticks.take(2'000 * ms, 0) == 150);
  // CPU 1 goes offline in these 200 ms. Its idle time is unknown, so all 200 ms count as idle.
  idle = of_cpus({{0, 7'500 * ms}}, 1'200 * ms);
  ticks.note_idle();
  CHECK(ticks.take(2'400 * ms, 0) == 10);
  // CPU 1 is online again, and its idle counter begins at 0: only its growth from there counts.
  idle = of_cpus({{0, 7'500 * ms}, {1, 0}}, 1'400 * ms);
  ticks.note_idle();
  idle = of_cpus({{0, 7'500 * ms}, {1, 100 * ms}}, 1'600 * ms);
  ticks.note_idle();
  CHECK(ticks.take(3'000 * ms, 0) == 50);
}

TEST_CASE("the kernel reports the idle time of each online CPU and of no other CPU") {
  CHECK(idle_times({}).ns_of_cpu.empty());
  const int first = online_cpus().front();
  const IdleTimes before = idle_times({first, 65535});
  const IdleTimes after = idle_times({first, 65535});
  REQUIRE(before.ns_of_cpu.size() == 1);
  REQUIRE(after.ns_of_cpu.size() == 1);
  CHECK(after.at_ns >= before.at_ns);
  CHECK(idle_times(online_cpus()).ns_of_cpu.contains(first));
}
