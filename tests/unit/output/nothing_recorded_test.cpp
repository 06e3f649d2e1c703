// Tests what a user is told whose run recorded nothing.
#include "output/nothing_recorded.h"

#include <doctest/doctest.h>

using namespace profile;

namespace {

Account of(std::uint64_t idle, std::uint64_t filtered) {
  Account account;
  account.idle = idle;
  account.filtered = filtered;
  account.taken = idle + filtered;
  return account;
}

}  // namespace

TEST_CASE("a process that slept is named, with the way to see where") {
  RunInfo run;
  run.tgids = {3241};
  CHECK(why_nothing(run, of(0, 196)) ==
        "nothing was recorded: all 196 samples were of other processes; PID 3241 slept: -e off-cpu shows where");
  run.tgids = {7, 9};
  CHECK(why_nothing(run, of(1, 2)) ==
        "nothing was recorded: all 3 samples were of other processes and of idle CPUs; PID 7, 9 slept: "
        "-e off-cpu shows where");
  run.tgids.clear();
  run.names = {"nosuch"};
  CHECK(why_nothing(run, of(0, 2)) ==
        "nothing was recorded: all 2 samples were of threads with other names; if there is a thread named nosuch, it "
        "slept: -e off-cpu shows where");
}

TEST_CASE("what the filters left out has its name, where it is most of the samples") {
  Account account = of(10, 60);
  account.recorded = 30;
  account.taken = 100;
  RunInfo run;
  run.tgids = {7};
  run.names = {"redis"};
  run.left_out = {"other cgroups"};
  CHECK(what_was_filtered(run, account) ==
        "the 60 filtered samples are of other processes or threads with other names or other cgroups");
  run = {};
  run.cpus = "0";
  CHECK(what_was_filtered(run, account).empty());
  run.cpus.clear();
  run.left_out = {"the profiler itself"};
  CHECK(what_was_filtered(run, account) == "the 60 filtered samples are of the profiler itself");
  account.filtered = 50;
  account.recorded = 40;
  CHECK(what_was_filtered(run, account).empty());
  CHECK(what_was_filtered(run, of(0, 60)).empty());  // why_nothing() says it
}

TEST_CASE("an idle machine, and a run without a sample") {
  CHECK(why_nothing({}, of(98, 0)) ==
        "nothing was recorded: all 98 samples were of idle CPUs; what there is slept: -e off-cpu shows where");
  CHECK(why_nothing({}, of(0, 0)).starts_with("nothing was recorded: no sample was due"));
  RunInfo faults;
  faults.event = "page-faults";
  CHECK(why_nothing(faults, of(0, 0)) == "nothing was recorded: page-faults did not happen");
  RunInfo locks;
  locks.event = "futex";
  locks.tgids = {7};
  CHECK(why_nothing(locks, of(0, 0)) ==
        "nothing was recorded: futex did not happen in PID 7; if it waits in a call that does not end, -e off-cpu "
        "shows where");
}

TEST_CASE("nothing is said where something was recorded, or where nobody knows") {
  Account account = of(5, 5);
  account.recorded = 1;
  account.taken = 11;
  CHECK(why_nothing({}, account).empty());
  account = of(1, 0);
  account.is_known = false;
  CHECK(why_nothing({}, account).empty());
}
