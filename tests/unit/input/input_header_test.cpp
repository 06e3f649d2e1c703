// Tests which event, unit and rate the header line of a counted report gives to the profile that is read from it.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "input/profile_reader.h"
#include "model/profile.h"
#include "output/header.h"
#include "output/output.h"

using namespace profile;

namespace {

constexpr const char* block = "    main\n    -                dd (185)\n        7\n\n";

RunInfo run_of(const std::string& header) { return read_profile(header + "\n\n" + block, "a.txt").run; }

}  // namespace

TEST_CASE("the header line of a run gives its event, unit and rate") {
  const struct {
    const char* title;  // empty: the header names only the rate
    const char* event;
    const char* unit;
    std::uint64_t frequency_hz;
    std::uint64_t period_events;
  } runs[] = {
      {"", "cpu-clock", "samples", 199, 0},
      {"", "cpu-clock", "samples", 0, 100},
      {"Sampling page-faults at 49 Hertz", "page-faults", "page-faults", 49, 0},
      {"Sampling page-faults:u every event", "page-faults:u", "page-faults", 0, 1},
      {"Sampling task-clock:u at 199 Hertz", "task-clock:u", "samples", 199, 0},
      {"Sampling cycles every 1000000 events", "cycles", "cycles", 0, 1'000'000},
      {"Sampling syscalls:sys_enter_read every 10 events", "syscalls:sys_enter_read", "syscalls:sys_enter_read", 0, 10},
      {"Counting syscalls:sys_enter_read", "syscalls:sys_enter_read", "syscalls:sys_enter_read", 0, 1},
      {"Counting uprobe:./a of b:hit", "uprobe:./a of b:hit", "hits", 0, 1},
      {"Sampling uprobe:./w:hit every 7 events", "uprobe:./w:hit", "hits", 0, 7},
      {"Tracing off-CPU time in microseconds", "off-cpu", "microseconds", 0, 0},
      {"Tracing system calls", "syscalls", "calls", 0, 0},
      {"Tracing bytes allocated and not freed", "malloc", "bytes", 0, 0},
  };
  for (const auto& expected : runs) {
    RunInfo run;
    run.title = expected.title;
    run.frequency_hz = expected.frequency_hz;
    run.period_events = expected.period_events;
    const auto check = [&] {
      const std::string header = header_line(run);
      CAPTURE(header);
      const RunInfo read = run_of(header);
      CHECK(read.event == expected.event);
      CHECK(read.unit.word() == expected.unit);
      CHECK(read.frequency_hz == expected.frequency_hz);
      CHECK(read.period_events == expected.period_events);
      CHECK(read.headline == header);
    };
    check();
    run.names = {"worker"};
    check();
    run.tgids = {1, 2};
    run.duration_s = 0.5;
    run.cpus = "0-3";
    check();
    run.command = {"./known", "at", "7", "Hertz", "of", "all", "threads"};
    run.kernel_stacks = false;
    check();
  }
}

TEST_CASE("the header line of a sum of files gives its unit") {
  const RunInfo faults = run_of("Page-faults of s/pf.json, b of c.json by user + kernel stack");
  CHECK(faults.unit.word() == "page-faults");
  CHECK(faults.event == "page-faults");
  const RunInfo time = run_of("Nanoseconds of a.json by user + kernel stack");
  CHECK(time.unit.word() == "nanoseconds");
  const RunInfo samples = run_of("Samples of a.folded by user + kernel stack");
  CHECK(samples.unit.word() == "samples");
  CHECK(samples.event.empty());
  const RunInfo heap = run_of("inuse_space in bytes of heap.pb.gz by user + kernel stack");
  CHECK(heap.event == "inuse_space");
  CHECK(heap.unit == Unit::bytes);
  CHECK(run_of("LLC-load-misses of a.json by user + kernel stack").unit.word() == "LLC-load-misses");
  CHECK(run_of("iTLB-loads of a.json by user + kernel stack").unit.word() == "iTLB-loads");
}

TEST_CASE("the header line of older versions of bcc's profile names its target without brackets") {
  const RunInfo run = run_of("Sampling at 49 Hertz of PID 181 by user + kernel stack for 5 secs.");
  CHECK(run.event == "cpu-clock");
  CHECK(run.frequency_hz == 49);
}

TEST_CASE("a counted report without a stack is read by its header line") {
  for (const char* header :
       {"Samples of h/empty by user + kernel stack", "Counting a:b of all threads by user stack for 5 secs.",
        "Sampling page-faults at 49 Hertz of PID [7] by user + kernel stack... Hit Ctrl-C to end."}) {
    CAPTURE(header);
    CHECK(read_profile(std::string(header) + "\n\n", "a.txt").rows().empty());
  }
  CHECK_THROWS(static_cast<void>(read_profile("Sampling of nothing\n\n", "a.txt")));
}
