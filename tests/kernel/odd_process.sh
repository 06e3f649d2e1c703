#!/bin/bash
# Processes of which the kernel tells little: one that shares another's memory, in which that one maps code, and one whose
# first thread has ended. Their code has names, and their stacks are whole.
source "$(dirname "$0")/sampling.bash"

cp "$WORKLOADS/libhop.so" "$tmp/hop.so"
for kind in shared headless; do
  # From before the library is loaded.
  begin_counted -F 499 -U -o - -o "$tmp/run.folded"
  rm -f "$tmp/started"
  start "$WORKLOADS/odd_process" "$kind" "$tmp/hop.so" 600
  wait_until test -s "$tmp/started"
  odd=$(head -n 1 "$tmp/started")
  let_work "$odd" 150
  kill -INT "$profiler"
  finish
  expect_status 0
  grep '^odd;' "$tmp/run.folded" >"$tmp/out"
  expect_share ';main_of_odd;hop;hop ' 75 100
  # It was there before the run.
  sample_enough 200 -F 499 -U -p "$odd" 0.5
  expect_share ';main_of_odd;hop;hop ' 90 100
  kill "$started" "$odd" 2>/dev/null
done
