#!/bin/bash
# The line that tells how the run goes counts all system calls, also where processes are kept apart.
source "$(dirname "$0")/syscalls.bash"

start "$WORKLOADS/calls" 100000
run python3 "$SOURCE_DIR/tests/terminal.py" --raw "$tmp/raw" "$PROFILE" -e syscalls --by-process -p "$started" 1.9
expect_status 0
cp "$tmp/out" "$tmp/err"
expect_balance
shown=$(tr '\r' '\n' <"$tmp/raw" | sed -nE 's/^.*[0-9.]+\/1\.9 s +([0-9]+) samples.*/\1/p' | tail -n 1)
# The last but a quarter of a second.
expect_between "${shown:-0}" $((taken * 60 / 100)) "$taken" "calls in the last line, of $taken"
