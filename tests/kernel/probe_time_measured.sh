#!/bin/bash
# Probes take long to insert and to remove. The run counts only what happens between: the calls per second match the
# reported time.
source "$(dirname "$0")/sampling.bash"

# The clock sets its pace, so it needs precedence over other programs.
find_precedence
start "${precedence[@]}" "$WORKLOADS/paced" 600
wait_until grep -qsx paced "/proc/$started/comm"  # bash, which becomes it, has a malloc of its own
for event in malloc uprobe:libc:malloc; do
  sample -e "$event" -p "$started" -o "$tmp/a.pb.gz" 1
  expect_between "$recorded" $(($(length_us "$tmp/a.pb.gz") / 2000 - 25)) $(($(length_us "$tmp/a.pb.gz") / 2000 + 25)) "calls at 500 a second"
done
