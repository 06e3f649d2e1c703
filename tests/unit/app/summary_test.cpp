// Tests the line at the end of a run: it has every number that was counted, and no other number.
#include "app/summary.h"

#include <doctest/doctest.h>

using namespace profile;

namespace {

Account balanced_account() {
  Account account;
  account.taken = 2964;
  account.recorded = 2411;
  account.idle = 553;
  return account;
}

RunCost two_cpus() {
  RunCost cost;
  cost.duration_s = 30;
  cost.cpus = 2;
  return cost;
}

}  // namespace

TEST_CASE("the summary shows how many samples were taken and where they went") {
  CHECK(summary_of(balanced_account(), two_cpus()) ==
        "2964 samples in 30.0 s on 2 CPUs: 2411 recorded, 553 idle, 0 lost");
}

TEST_CASE("the summary leaves out zero counts, except that of lost samples") {
  CHECK(summary_of({}, two_cpus()) == "0 samples in 30.0 s on 2 CPUs: 0 recorded, 0 lost");
}

TEST_CASE("the summary writes one CPU in the singular") {
  RunCost cost = two_cpus();
  cost.cpus = 1;
  CHECK(summary_of({}, cost).find(" on 1 CPU:") != std::string::npos);
}

TEST_CASE("the summary shows filtered samples, and lost samples by reason") {
  Account account = balanced_account();
  account.taken += 4 + 3 + 2;
  account.filtered = 4;
  account.lost_ring_full = 3;
  account.lost_unread = 2;
  CHECK(summary_of(account, two_cpus()) ==
        "2973 samples in 30.0 s on 2 CPUs: 2411 recorded, 553 idle, 4 filtered, 5 lost (3 ring buffer full)"
        " (2 not found in the maps)");
}

TEST_CASE("the summary shows the share of the requested samples if the rate was not reached") {
  Account account = balanced_account();
  account.asked = 9411;
  CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost; 31.5 % of the 9411 asked for"));
  account.asked = account.taken + account.taken / 98;
  CHECK(summary_of(account, two_cpus()).ends_with("% of the 2994 asked for"));
}

TEST_CASE("the summary leaves out a rate that was reached or is unknown") {
  Account account = balanced_account();
  for (const std::uint64_t more : {0, 1, 4, 29}) {
    account.asked = account.taken + more;
    CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost"));
  }
  account = {};
  account.taken = account.recorded = 6;
  account.asked = 10;
  CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost"));
  account.asked = 11;
  CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost; 54.5 % of the 11 asked for"));
  account.asked = 0;
  CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost"));
  account.asked = 5;
  CHECK(summary_of(account, two_cpus()).ends_with(", 0 lost"));
}

TEST_CASE("the summary shows a missing sample or a surplus sample as unaccounted for") {
  Account account = balanced_account();
  account.taken += 7;
  CHECK(summary_of(account, two_cpus()).find(", 7 unaccounted for") != std::string::npos);
  account.taken -= 17;
  CHECK(summary_of(account, two_cpus()).find(", -10 unaccounted for") != std::string::npos);
  CHECK(summary_of(balanced_account(), two_cpus()).find("unaccounted") == std::string::npos);
}

TEST_CASE("the summary counts the processes that were not followed") {
  RunCost cost = two_cpus();
  cost.unfollowed = 12;
  CHECK(summary_of({}, cost).ends_with(", 0 lost, 12 processes not followed"));
  cost.unfollowed = 1;
  CHECK(summary_of({}, cost).ends_with(", 0 lost, 1 process not followed"));
}

TEST_CASE("the summary shows the cost of each sample and its share of all CPU time") {
  RunCost cost = two_cpus();
  cost.bpf.runs = 1000;
  cost.bpf.run_time_ns = 2'100'000;  // 2.1 us each; 0.0035 % of 60 seconds of CPU time
  CHECK(summary_of({}, cost).ends_with("; 2.1 us a sample, 0.00 % of CPU time"));
  cost.bpf.run_time_ns = 600'000'000;
  CHECK(summary_of({}, cost).ends_with("; 600.0 us a sample, 1.00 % of CPU time"));
}

TEST_CASE("a run without a duration has no cost in the summary") {
  RunCost cost = two_cpus();
  cost.bpf.runs = 1;
  cost.bpf.run_time_ns = 1;
  cost.duration_s = 0;
  CHECK(summary_of({}, cost).ends_with("0 lost"));
  cost = two_cpus();
  cost.bpf.runs = 1;
  cost.cpus = 0;
  CHECK(summary_of({}, cost).ends_with("0 lost"));
}

TEST_CASE("the summary prints the largest possible numbers") {
  Account account;
  account.taken = account.recorded = UINT64_MAX;
  CHECK(summary_of(account, two_cpus()).starts_with("18446744073709551615 samples in 30.0 s on 2 CPUs: 184467"));
}

TEST_CASE("more room in the maps is advised only for samples that were lost while the maps were full") {
  Account account = balanced_account();
  CHECK(losses_of(account, 0).empty());
  account.lost_ring_full = 3;
  REQUIRE(losses_of(account, 0).size() == 1);
  CHECK(losses_of(account, 0).front().find("maps") == std::string::npos);
  REQUIRE(losses_of(account, 3).size() == 1);
  CHECK(losses_of(account, 3).front().find("more room in the maps") != std::string::npos);
}
