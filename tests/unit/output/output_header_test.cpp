// Tests all variants of the line above a counted report.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "output/header.h"
#include "output/output.h"

namespace {

using namespace profile;

std::string header(const RunInfo& run, std::string_view format = "counted") {
  std::ostringstream out;
  find_output_format(format)->make({}).begin(out, run);
  return out.str();
}

}  // namespace

TEST_CASE("the header describes a run of some seconds") {
  RunInfo run;
  run.duration_s = 5;
  CHECK(header(run) == "Sampling at 49 Hertz of all threads by user + kernel stack for 5 secs.\n\n");
  run.duration_s = 0.5;
  CHECK(header(run) == "Sampling at 49 Hertz of all threads by user + kernel stack for 0.5 secs.\n\n");
  run.duration_s = 1e8;
  CHECK(header(run) == "Sampling at 49 Hertz of all threads by user + kernel stack for 100000000 secs.\n\n");
}

TEST_CASE("the header of a run without an end tells how to end it") {
  CHECK(header({}) == "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n\n");
}

TEST_CASE("the header names the requested processes and threads") {
  RunInfo run;
  run.duration_s = 5;
  run.tgids = {185};
  CHECK(header(run) == "Sampling at 49 Hertz of PID [185] by user + kernel stack for 5 secs.\n\n");
  run.tgids.clear();
  run.names = {"red", "k*"};
  CHECK(header(run).find(" of all threads named [red, k*] by ") != std::string::npos);
  run.tids = {1, 2};
  CHECK(header(run).find(" of TID [1, 2], threads named [red, k*] by ") != std::string::npos);
  run.names.clear();
  CHECK(header(run) == "Sampling at 49 Hertz of TID [1, 2] by user + kernel stack for 5 secs.\n\n");
}

TEST_CASE("the header names the requested event count, stacks and CPUs") {
  RunInfo run;
  run.frequency_hz = 0;
  run.period_events = 1000000;
  run.kernel_stacks = false;
  run.cpus = "3";
  CHECK(header(run) ==
        "Sampling at every 1000000 events of all threads by user stack on CPU#3... Hit Ctrl-C to end.\n\n");
  run.kernel_stacks = true;
  run.user_stacks = false;
  run.cpus = "0,2-3";
  run.duration_s = 2.25;
  CHECK(header(run) ==
        "Sampling at every 1000000 events of all threads by kernel stack on CPU#0,2-3 for 2.25 secs.\n\n");
}

TEST_CASE("the header names the command and no end") {
  RunInfo run;
  run.command = {"make", "-j2"};
  CHECK(header(run) == "Sampling at 49 Hertz of COMMAND [make -j2] by user + kernel stack.\n\n");
  run.command = {"printf", "\x1b[2J\n"};
  run.cpus = "1";
  CHECK(header(run) == "Sampling at 49 Hertz of COMMAND [printf ?[2J?] by user + kernel stack on CPU#1.\n\n");
}

TEST_CASE("a locale or a state of the stream changes no number") {
  struct Grouping : std::numpunct<char> {
    char do_thousands_sep() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  Profile profile;
  profile.add(Row{.process = profile.process(12345, 0, "x"), .value = 1234567});
  std::ostringstream out;
  out.imbue(std::locale(out.getloc(), new Grouping));
  out << std::hex;
  find_output_format("folded")->make({}).report(out, profile);
  find_output_format("counted")->make({}).report(out, profile);
  CHECK(out.str() == "[unknown] 1234567\n    -                [unknown] (12345)\n        1234567\n\n");
}

TEST_CASE("a source that does not sample describes itself in the header") {
  RunInfo run;
  run.title = "Tracing off-CPU time in microseconds";
  run.duration_s = 5;
  CHECK(header(run) == "Tracing off-CPU time in microseconds of all threads by user + kernel stack for 5 secs.\n\n");
  run.title = "Tracing uprobe:/tmp/\n\x1b[2J:f";
  run.duration_s = {};
  run.tgids = {7};
  CHECK(header(run) == "Tracing uprobe:/tmp/??[2J:f of PID [7] by user + kernel stack... Hit Ctrl-C to end.\n\n");
}

TEST_CASE("the header names no stacks if none are taken") {
  RunInfo run;
  run.title = "Counting system calls";
  run.user_stacks = run.kernel_stacks = false;
  run.cpus = "1";
  run.duration_s = 2;
  CHECK(header(run) == "Counting system calls of all threads on CPU#1 for 2 secs.\n\n");
}

TEST_CASE("formats for people have a header, and formats for programs have none") {
  CHECK(header({}, "table") == header({}, "counted"));
  CHECK(header({}, "folded").empty());
  CHECK(header({}, "residency").empty());
  CHECK(header({}, "json").empty());
}

TEST_CASE("a title says what was sampled as people say it") {
  RunInfo run;
  run.command = {"make", "-j2"};
  run.frequency_hz = 199;
  CHECK(title_of(run, 12'345'678'900) == "make -j2: user and kernel stacks, 199 Hz, 12 s");
  CHECK(title_of(run, 500'000'000) == "make -j2: user and kernel stacks, 199 Hz, 0.5 s");
  CHECK(title_of(run, 0) == "make -j2: user and kernel stacks, 199 Hz");
  run.duration_s = 3;
  CHECK(title_of(run, 0) == "make -j2: user and kernel stacks, 199 Hz, 3 s");
  run.command.assign(100, "words");
  CHECK(title_of(run, 0).starts_with("words words "));
  CHECK(title_of(run, 0).find("…: user and kernel stacks") != std::string::npos);
  run.command.clear();
  run.tgids = {4, 5};
  run.kernel_stacks = false;
  run.cpus = "0-1";
  CHECK(title_of(run, 0) == "processes 4, 5: user stacks, 199 Hz, CPUs 0-1, 3 s");
  run.tgids.clear();
  run.names = {"a\nb"};
  run.cpus.clear();
  run.event = "cycles";
  run.title = "Sampling cycles every 1000 events";
  run.frequency_hz = 0;
  run.period_events = 1000;
  CHECK(title_of(run, 0) == "all processes, thread a?b: cycles, user stacks, every 1000 events, 3 s");
  run.names.clear();
  run.tids = {7};
  run.period_events = 0;
  run.title = "Tracing off-CPU time in microseconds";
  CHECK(title_of(run, 0) == "thread 7: off-CPU time, user stacks, 3 s");
  run.headline = "Samples of a.folded by user + kernel stack";
  CHECK(title_of(run, 0) == run.headline);
}

TEST_CASE("the place of a run is its machine and when it began") {
  RunInfo run;
  CHECK(place_of(run, 0).empty());
  run.host = "build7";
  CHECK(place_of(run, 0) == "build7");
  CHECK(place_of(run, 1'700'000'000'900'000'000) == "build7, 2023-11-14 22:13:20 UTC");
  run.host.clear();
  CHECK(place_of(run, 1'700'000'000'900'000'000) == "2023-11-14 22:13:20 UTC");
  CHECK(clock_time_of(1'700'000'000'900'000'000) == "22:13:20 UTC");
  CHECK(clock_time_of(0).empty());
}
