#!/bin/bash
# A target of -p that exits, is killed or executes another program in mid-run: what was sampled is reported, with names, and
# when nothing is left to sample the run is over.
source "$(dirname "$0")/sampling.bash"

# ended SECONDS : the run was over by then, all is accounted for.
ended() {
  expect_status 0
  expect_balance
  expect_folded_total
  expect_between $((${EPOCHREALTIME/./} - start_us)) 0 $(($1 * 1000000)) "microseconds of the run"
}

start_us=${EPOCHREALTIME/./}
burn leaves 1
sample_folded -F 499 -p "$started" 20
ended 5
expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100

start_us=${EPOCHREALTIME/./}
burn leaves 20
begin -f -F 499 -p "$started" 20
pause 0.8
kill -KILL "$started"
finish
ended 5
expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100

start_us=${EPOCHREALTIME/./}
burn changer 2
sample_folded -F 499 -p "$started" 20
ended 6
expect_share '^before;.*;main;before_exec( |;)' 20 65
expect_share '^after;.*;main;after_exec( |;)' 35 80

# The whole machine, and a program that is long gone when its names are looked up.
begin_counted -F 499 -o - -o "$tmp/a.folded" 1.5
"$WORKLOADS/leaves" 0.6
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"
expect_present '^leaves;.*;main;outer;middle;heavy ' "$tmp/a.folded"
expect_absent '^leaves;.*\[unknown\];\[unknown\]' "$tmp/a.folded"
