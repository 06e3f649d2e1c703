#!/bin/bash
# A program that maps code, forks, executes or renames itself without end costs other programs no names and no samples.
# Promise 3: a run can have any length.
source "$(dirname "$0")/sampling.bash"

# They have their own cgroup, because the names of other programs do not matter here.
need_group
start in_group "$WORKLOADS/leaves" 1200/3
wait_until is_at_work "$started"
# survive KIND [ARGUMENT...] : runs the profiler beside such a storm.
survive() {
  echo "$*"
  start in_group "$WORKLOADS/storm" "$@" 600
  sought=('^leaves;(.*;)?main;outer;middle;(heavy|light)[ ;]')
  sample_until "$condition" -f -F 99 --cgroup "$group" 1
  kill -KILL "$started"
  expect_absent '^leaves;.*\[unknown\]'
  grep -E 'one by one|so fast' "$tmp/err" || true
}
# The profiler stops following single mappings, which limits the cost.
is_bounded() { is_seen && grep -q 'mappings of processes that map code without end were not followed one by one' "$tmp/err"; }
condition=is_bounded
survive maps "$WORKLOADS/libleaves.so"
condition=is_seen
for kind in fork thread exec comm; do survive "$kind"; done

# A process that replaces its 10,000 mappings without end costs no more memory than its tables.
start in_group "$WORKLOADS/storm" places "$WORKLOADS/libleaves.so" 600
wait_until grep -q '^mapped' "$tmp/started"
begin_counted -F 99 --cgroup "$group" -o - -o "$tmp/storm.folded"
is_read_often() { has_worked "$profiler" 50; }
wait_until is_read_often
highest_kb=$(awk '/^VmHWM:/ { print $2 }' "/proc/$profiler/status")
kill -INT "$profiler"
finish
expect_status 0
expect_balance
echo "$highest_kb kB"
((SANITIZED)) || expect_between "$highest_kb" 1000 60000 "kB of memory beside a process with many mappings"
