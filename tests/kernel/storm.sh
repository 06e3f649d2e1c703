#!/bin/bash
# A program that maps code, forks, executes or renames itself without end costs other programs no names and no samples.
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
