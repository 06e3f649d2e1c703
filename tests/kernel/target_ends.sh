#!/bin/bash
# A target of -p exits, is killed or executes another program during the run. Its samples are reported with names, and
# the run ends when there is nothing left to sample.
source "$(dirname "$0")/sampling.bash"

# begin_until_end : samples $started for at most ten minutes, after it has begun to compute.
begin_until_end() {
  wait_until is_at_work "$started"
  begin_counted -F 499 -p "$started" -o - -o "$tmp/a.folded" 600
}
# ended : the run ended long before its time, and the account balances.
ended() {
  finish
  expect_status 0
  expect_balance
  expect_folded_total "$tmp/a.folded"
  expect_no_err '^[0-9]+ samples in [0-9]{3}'
}

# It ends by itself, as by its timer, or is killed.
for signal in ALRM KILL; do
  burn leaves 600
  begin_until_end
  let_work "$started" 40
  kill -"$signal" "$started"
  ended
  expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100 "$tmp/a.folded"
done

burn changer 1200
begin_until_end
let_work "$started" 40
kill -ALRM "$started"
is_after() { grep -qx after "/proc/$started/comm"; }
wait_until is_after
let_work "$started" 40
kill -KILL "$started"
ended
expect_present '^before;.*;main;before_exec( |;)' "$tmp/a.folded"
expect_present '^after;.*;main;after_exec( |;)' "$tmp/a.folded"
expect_share '^(before;.*;main;before_exec|after;.*;main;after_exec)( |;)' 85 100 "$tmp/a.folded"

# The whole machine, and a program that ended long before its names are looked up.
cp "$WORKLOADS/leaves" "$tmp/long_gone"
begin_counted -F 499 -o - -o "$tmp/a.folded"
"$tmp/long_gone" 0.3cpu
pause 0.5
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"
expect_present '^long_gone;.*;main;outer;middle;heavy ' "$tmp/a.folded"
expect_absent '^long_gone;.*\[unknown\];\[unknown\]' "$tmp/a.folded"
