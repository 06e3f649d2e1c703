#!/bin/bash
# The profiler reads new stacks in batches: the kernel does not wake it for each of them.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
workload=$started
wait_until is_at_work "$workload"
waits() { awk '/^voluntary_ctxt_switches:/ { print $2 }' "/proc/$profiler/status"; }
# wakes_seldom : false while too few new stacks came to tell.
wakes_seldom() {
  begin_counted -F 9999 -p "$workload"
  local before began_us=${EPOCHREALTIME/./} took_us woken
  before=$(waits)
  let_work "$workload" "$1"
  woken=$(($(waits) - before)) took_us=$((${EPOCHREALTIME/./} - began_us))
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance_with_losses
  # At most once in two milliseconds for stacks, and a few times for other things.
  ((woken <= took_us / 1000 + 200)) || fail "woken $woken times in $took_us microseconds"
  ((recorded > 2 * woken && recorded > 1000))
}
for work in 50 300 1500; do
  if wakes_seldom "$work"; then exit; fi
done
fail "only $recorded samples, and woken for each of them"
