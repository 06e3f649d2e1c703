#!/bin/bash
# SIGINT and SIGTERM end the run with its report, even very early ones. A second signal aborts at once.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
wait_until is_at_work "$leaves"
for signal in INT TERM; do
  begin_counted -F 499 -p "$leaves" -o - -o "$tmp/a.folded"
  expect_out '^Sampling at 499 Hertz of PID \[[0-9]+\] by user \+ kernel stack\.\.\. Hit Ctrl-C to end\.$'
  let_work "$leaves" 20
  kill -"$signal" "$profiler"
  finish
  expect_status 0
  expect_balance
  expect_folded_total "$tmp/a.folded"
  expect_present ';main;outer;middle;(heavy|light)[ ;]' "$tmp/a.folded"
done

# A signal before sampling begins gives an empty report, or almost. (A sanitized program does not allow a preloaded
# library.)
if ((SANITIZED == 0)); then
  run env LD_PRELOAD="$WORKLOADS/libhasty.so" "$PROFILE" -F 499 -o "$tmp/hasty.folded" 600
  expect_status 0
  expect_between "$(sed -nE 's/^[0-9]+ samples in ([0-9.]+) s.*/\1/p' "$tmp/err")" 0 60 "seconds, of 600 it was not told to end in"
  expect_balance
  expect_folded_total "$tmp/hasty.folded"
fi

# timeout(1) signals the process and its group, so the profiler gets two signals that count as one.
ahead=(timeout --preserve-status 600)
begin_counted -F 499 -p "$leaves" -o - -o "$tmp/a.folded"
ahead=()
let_work "$leaves" 20
kill -TERM "$profiler"
finish
expect_status 0
expect_balance
expect_present ';main;outer;middle;(heavy|light)[ ;]' "$tmp/a.folded"

# The command ignores the signal: the first one only reaches the command, the second ends the profiler.
begin -f -- sh -c "trap '' TERM; echo \$\$ >'$tmp/ready'; exec '$WORKLOADS/leaves' 600"
is_ready() { [[ -s $tmp/ready ]]; }
wait_until is_ready
kill -TERM "$profiler"
sleep 0.5
kill -0 "$profiler" || fail "the first signal ended it; $(outcome)"
kill -TERM "$profiler"
before=${EPOCHREALTIME/./}
finish
kill -KILL "$(<"$tmp/ready")"
expect_between $((${EPOCHREALTIME/./} - before)) 0 60000000 "microseconds until it had aborted, of 600 s that the command goes on"
expect_status 143
