// Tests perf events by name, and the values that perf_event_open gets for them.
#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "sampling/perf_events.h"
#include "support/error.h"

using namespace profile;

namespace {

void check(const char* typed, const char* name, std::uint32_t type, std::uint64_t config) {
  CAPTURE(typed);
  const auto event = parse_perf_event(typed);
  REQUIRE(event);
  CHECK(event->name == name);
  CHECK(event->type == type);
  CHECK(event->config == config);
}

}  // namespace

TEST_CASE("names and aliases of events have the numbers of the kernel") {
  check("cpu-clock", "cpu-clock", PERF_TYPE_SOFTWARE, 0);
  check("task-clock", "task-clock", PERF_TYPE_SOFTWARE, 1);
  check("page-faults", "page-faults", PERF_TYPE_SOFTWARE, 2);
  check("faults", "page-faults", PERF_TYPE_SOFTWARE, 2);
  check("cs", "context-switches", PERF_TYPE_SOFTWARE, 3);
  check("migrations", "cpu-migrations", PERF_TYPE_SOFTWARE, 4);
  check("minor-faults", "minor-faults", PERF_TYPE_SOFTWARE, 5);
  check("major-faults", "major-faults", PERF_TYPE_SOFTWARE, 6);
  check("cpu-cycles", "cycles", PERF_TYPE_HARDWARE, 0);
  check("instructions", "instructions", PERF_TYPE_HARDWARE, 1);
  check("branch-instructions", "branches", PERF_TYPE_HARDWARE, 4);
  check("idle-cycles-backend", "stalled-cycles-backend", PERF_TYPE_HARDWARE, 8);
  check("ref-cycles", "ref-cycles", PERF_TYPE_HARDWARE, 9);
}

TEST_CASE("cache events follow the rule of perf with cache, operation and result") {
  check("L1-dcache-loads", "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0);
  check("L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
  check("L1-icache-load-misses", "L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001);
  check("LLC-stores", "LLC-stores", PERF_TYPE_HW_CACHE, 0x102);
  check("LLC-prefetch-misses", "LLC-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10202);
  check("dTLB-load-misses", "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003);
  check("branch-loads", "branch-loads", PERF_TYPE_HW_CACHE, 5);
  check("node-prefetches", "node-prefetches", PERF_TYPE_HW_CACHE, 0x206);
}

TEST_CASE("the rule for cache events makes each name once, and no impossible name") {
  std::vector<std::string> names = cache_event_names();
  CHECK(names.size() == 2 * (4 * 3 + 2 + 1 + 1));
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  for (const std::string& name : names) CHECK(is_cache_event(name));
  for (const char* name : {"L1-icache-stores", "iTLB-stores", "iTLB-prefetches", "branch-stores", "LLC-load",
                           "LLC-loads-misses", "LLC-", "-loads", "LLC", "loads"}) {
    CHECK_FALSE(is_cache_event(name));
  }
}

TEST_CASE("a raw event is an r and up to sixteen hexadecimal digits") {
  check("r01c2", "r01c2", PERF_TYPE_RAW, 0x1c2);
  check("r0", "r0", PERF_TYPE_RAW, 0);
  check("rFFFFFFFFFFFFFFFF", "rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX);
  check("r1a8:u", "r1a8", PERF_TYPE_RAW, 0x1a8);
  for (const char* name : {"r", "r0x12", "rNNNN", "r12g", "r-1", "r+1", "r 1", "r00000000000000001", "1c2", ""}) {
    CHECK_FALSE(is_raw_event(name));
  }
}

TEST_CASE("modifiers choose whether an event counts in user code or in the kernel") {
  struct Expected {
    const char* typed;
    bool exclude_user;
    bool exclude_kernel;
  };
  const Expected all[] = {{"cycles", false, false},     {"cycles:u", false, true},      {"cycles:k", true, false},
                          {"cycles:uk", false, false},  {"cpu-clock:ku", false, false}, {"cs:k", true, false},
                          {"LLC-loads:u", false, true}, {"rc0:k", true, false}};
  for (const Expected& expected : all) {
    CAPTURE(expected.typed);
    const auto event = parse_perf_event(expected.typed);
    REQUIRE(event);
    CHECK(event->exclude_user == expected.exclude_user);
    CHECK(event->exclude_kernel == expected.exclude_kernel);
  }
}

TEST_CASE("bad modifiers are distinguished from unknown names") {
  for (const char* typed : {"cycles:", "cycles:x", "cycles:ux", "cpu-clock:U", "LLC-loads:p", "r1:h"}) {
    CAPTURE(typed);
    try {
      std::ignore = parse_perf_event(typed);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.exit_status() == Error::misused);
      CHECK(std::string(error.what()).find(typed) != std::string::npos);
    }
  }
  for (const char* typed : {"", ":", ":u", "cycle", "cycles:u:k", "sched:sched_switch", "CYCLES"}) {
    CAPTURE(typed);
    CHECK_FALSE(parse_perf_event(typed));
  }
}

TEST_CASE("only the two clocks count samples") {
  CHECK(parse_perf_event("cpu-clock")->is_clock());
  CHECK(parse_perf_event("task-clock:u")->is_clock());
  CHECK_FALSE(parse_perf_event("page-faults")->is_clock());
  CHECK_FALSE(parse_perf_event("cycles")->is_clock());
  CHECK_FALSE(parse_perf_event("r0")->is_clock());
}

TEST_CASE("every hardware event names a software event to use instead") {
  std::vector<std::string> names = cache_event_names();
  for (const PerfEventName& event : hardware_events) names.emplace_back(event.name);
  names.emplace_back("r1c2");
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto instead = parse_perf_event(parse_perf_event(name)->instead);
    REQUIRE(instead);
    CHECK(instead->type == PERF_TYPE_SOFTWARE);
  }
}
