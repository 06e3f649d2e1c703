#!/bin/bash
# Probes take long to insert and to remove. The run counts only what happens between: all calls of a command, in the
# time that the report says.
source "$(dirname "$0")/sampling.bash"

for event in malloc uprobe:libc:malloc; do
  start_us=${EPOCHREALTIME/./}
  sample -e "$event" -o "$tmp/a.pb.gz" -- "$WORKLOADS/paced" 1
  whole_us=$((${EPOCHREALTIME/./} - start_us))
  expect_equal "$recorded" 500 "calls of -e $event"
  # The workload's times are 2 ms apart.
  expect_between "$(length_us "$tmp/a.pb.gz")" 998000 "$whole_us" "microseconds of a command that takes a second"
done
