#!/bin/bash
# SIGINT and SIGTERM end the run with its report; a second one aborts at once.
source "$(dirname "$0")/sampling.bash"

burn leaves 60
leaves=$started
for signal in INT TERM; do
  begin_counted -F 499 -p "$leaves" -o - -o "$tmp/a.folded"
  expect_out '^Sampling at 499 Hertz of PID \[[0-9]+\] by user \+ kernel stack\.\.\. Hit Ctrl-C to end\.$'
  pause 0.4
  kill -"$signal" "$profiler"
  finish
  expect_status 0
  expect_balance
  expect_folded_total "$tmp/a.folded"
  expect_present ';main;outer;middle;heavy ' "$tmp/a.folded"
done

# timeout(1) signals twice, the process and its group: that is one wish.
run timeout --preserve-status 1 "$PROFILE" -f -F 499 -p "$leaves"
expect_status 0
expect_balance
expect_present ';main;outer;middle;heavy '

# The command does not want to end: the first signal leaves it to it, the second ends the profiler.
begin -f -- sh -c "trap '' TERM; echo ready >'$tmp/ready'; exec '$WORKLOADS/leaves' 3"
is_ready() { [[ -s $tmp/ready ]]; }
wait_until is_ready
kill -TERM "$profiler"
sleep 0.5
kill -0 "$profiler" || fail "the first signal ended it; $(outcome)"
kill -TERM "$profiler"
before=${EPOCHREALTIME/./}
finish
expect_between $((${EPOCHREALTIME/./} - before)) 0 1000000 "microseconds until it had aborted"
expect_status 143
