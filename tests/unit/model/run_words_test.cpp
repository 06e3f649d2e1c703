// Tests that the words of a run are read back as they were written.
#include "model/run_words.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace profile;

TEST_CASE("the title of a measure is read back as its event, unit and words") {
  for (const Measure& measure :
       {measures::off_cpu, measures::wall, measures::futex, measures::block_io, measures::syscalls,
        measures::syscall_times, measures::malloc, measures::live_malloc}) {
    RunInfo written;
    set_measure(written, measure);
    RunInfo read;
    REQUIRE(read_title(written.title, read));
    CHECK(read.event == measure.event);
    CHECK(read.unit == measure.unit);
    CHECK(read.counted == measure.counted);
    CHECK(read.tag == measure.tag);
    CHECK(read.title.empty());
  }
}

TEST_CASE("the title of an event is read back with its rate") {
  const auto check = [](const std::string& title, const std::string& event, std::uint64_t hz, std::uint64_t period) {
    CAPTURE(title);
    RunInfo read;
    REQUIRE(read_title(title, read));
    CHECK(read.event == event);
    CHECK(read.unit.word() == unit_of_event(event));
    CHECK(read.frequency_hz == hz);
    CHECK(read.period_events == period);
  };
  CHECK(sampling_title({}, 49, 0) == "Sampling at 49 Hertz");
  CHECK(sampling_title({}, 0, 100) == "Sampling at every 100 events");
  CHECK(sampling_title("cycles", 0, 1) == "Sampling cycles every event");
  CHECK(counting_title("a:b") == "Counting a:b");
  for (const auto& [hz, period] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{49, 0}, {0, 1}, {0, 100}}) {
    check(sampling_title({}, hz, period), "cpu-clock", hz, period);
    for (const char* event : {"page-faults:u", "uprobe:./a b:every 3", "sched:sched_switch"})
      check(sampling_title(event, hz, period), event, hz, period);
  }
  check(counting_title("uprobe:./a of b:hit"), "uprobe:./a of b:hit", 0, 1);
}

TEST_CASE("a text that is no title changes nothing") {
  for (const char* text : {"", "Sampling", "Sampling cycles at x Hertz", "Tracing", "Tracing something"}) {
    CAPTURE(text);
    RunInfo run;
    CHECK_FALSE(read_title(text, run));
    CHECK(run.event == "cpu-clock");
    CHECK(run.frequency_hz == 49);
  }
}

TEST_CASE("the unit of an event is its name, hits or samples") {
  CHECK(unit_of_event("task-clock:u") == "samples");
  CHECK(unit_of_event("LLC-loads:uk") == "LLC-loads");
  CHECK(unit_of_event("sched:sched_switch") == "sched:sched_switch");
  CHECK(unit_of_event("uprobe:libc:malloc") == "hits");
}

TEST_CASE("a unit knows its word, and a word its unit") {
  RunUnit unit;
  CHECK(unit == Unit::samples);
  for (const Unit known : {Unit::calls, Unit::hits, Unit::bytes, Unit::microseconds, Unit::nanoseconds}) {
    unit = word_of(known);
    CHECK(unit == known);
  }
  unit = "page-faults";
  CHECK(unit == Unit::events);
  CHECK(unit.word() == "page-faults");
  unit = Unit::bytes;
  CHECK(unit.word() == "bytes");
}

TEST_CASE("the headline of a sum is read back as its unit") {
  for (const char* word : {"page-faults", "samples", "LLC-loads", "iTLB-loads", "x"}) {
    CAPTURE(word);
    RunUnit unit;
    unit = word;
    const std::string line = sum_headline(unit, "a of b.json");
    RunInfo read;
    REQUIRE(read_sum_headline(line, read));
    CHECK(read.unit == unit);
  }
}
