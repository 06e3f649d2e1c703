#!/bin/bash
# Who maps code, forks, executes or changes names without end costs the profiler little, takes nobody's names and no sample.
source "$(dirname "$0")/sampling.bash"

# A group of their own: what other programs' names cost is not looked at here.
need_group
start in_group "$WORKLOADS/leaves" 1200/3
# expect_little KIND [ARGUMENT...] : of the CPU time of a run of a second, its children's with it, beside such a storm.
expect_little() {
  local spent_ms
  echo "$*"
  start in_group "$WORKLOADS/storm" "$@" 600
  TIMEFORMAT='%U %S'
  { time run "$PROFILE" -f -F 99 --cgroup "$group" 1; } 2>"$tmp/cpu"
  kill -KILL "$started"
  expect_status 0
  expect_balance
  expect_present '^leaves;(.*;)?main;outer;middle;heavy '
  expect_absent '^leaves;.*\[unknown\]'
  spent_ms=$(awk '{ printf "%.0f", ($1 + $2) * 1000 }' "$tmp/cpu")
  echo "$spent_ms ms of CPU; $(grep -E 'one by one|so fast' "$tmp/err")"
  # Of which the rest of a run takes a fifth of a second.
  ((SANITIZED)) || expect_between "$spent_ms" 1 500 "milliseconds of CPU time beside $1"
}
expect_little maps "$WORKLOADS/libleaves.so"
expect_err 'mappings of processes that map code without end were not followed one by one'
for kind in fork thread exec comm; do expect_little "$kind"; done
