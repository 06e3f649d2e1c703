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
        "nothing was recorded: all 2 samples were of other processes; if there is a thread named nosuch, it slept: "
        "-e off-cpu shows where");
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
