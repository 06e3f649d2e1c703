#!/bin/bash
# A child that has ended may be told to end later, when another process has its number: that process is left alone.
source "$(dirname "$0")/children.bash"
[[ -w /proc/sys/kernel/ns_last_pid ]] || skip "the next number cannot be chosen here"

burn leaves 600
burning=$started
begin_counted -F 99 -p "$burning" -o - -o "$tmp/run.folded"
wait_until has_child profile-parser
number=$(child profile-parser)
kill -KILL "$number"
has_no_process() { [[ ! -e /proc/$1 ]]; }
wait_until has_no_process "$number"
innocent=''
for _ in {1..500}; do
  echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
  start sleep 600
  if ((started == number)); then innocent=$started && break; fi
  kill -KILL "$started"
done
if [[ ! $innocent ]]; then
  kill -INT "$profiler"
  finish
  skip "the number went to another process"
fi
# Enough work for some samples.
let_work "$burning" 10
# The profiler asks its parser, sees that it is gone, and starts another one.
kill -INT "$profiler"
finish
expect_status 0
kill -0 "$innocent" || fail "the process with the number of the parser was killed"
mv "$tmp/run.folded" "$tmp/out"
expect_present '^leaves;(.*;)?main;outer;middle;heavy '
