#!/bin/bash
# A program that maps code, forks, executes or renames itself without end costs the profiler little CPU time, and costs
# other programs no names and no samples.
source "$(dirname "$0")/sampling.bash"

# They have their own cgroup, because the names of other programs do not matter here.
need_group
start in_group "$WORKLOADS/leaves" 1200/3
# expect_little KIND [ARGUMENT...] : checks the CPU time of a run of one second beside such a storm, with the profiler's
# children.
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
  # The rest of the run takes 200 ms of it.
  ((SANITIZED)) || expect_between "$spent_ms" 1 500 "milliseconds of CPU time beside $1"
}
expect_little maps "$WORKLOADS/libleaves.so"
expect_err 'mappings of processes that map code without end were not followed one by one'
for kind in fork thread exec comm; do expect_little "$kind"; done
