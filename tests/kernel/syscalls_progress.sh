#!/bin/bash
# The progress line counts all system calls, also when processes are shown separately.
source "$(dirname "$0")/syscalls.bash"

start "$WORKLOADS/calls" 100000
# Each turn of the workload makes 1500 calls, far more than there are processes or kinds of calls. Repeats for longer
# times on a busy machine.
for seconds in 1.9 15; do
  run python3 "$SOURCE_DIR/tests/tools/terminal.py" --raw "$tmp/raw" "$PROFILE" -e syscalls --by-process -p "$started" $seconds
  expect_status 0
  cp "$tmp/out" "$tmp/err"
  expect_balance
  shown=$(tr '\r' '\n' <"$tmp/raw" | sed -nE 's/^.*[0-9.]+\/[0-9.]+ s +([0-9]+) samples.*/\1/p' | tail -n 1)
  if ((${shown:-0} >= 1000)); then break; fi
done
expect_between "${shown:-0}" 1000 "$taken" "calls in the last line, of $taken"
