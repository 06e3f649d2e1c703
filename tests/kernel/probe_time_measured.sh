#!/bin/bash
# Probes take long to be put in and out; what is counted is what happens between, in the time that is said: so many calls in a second.
source "$(dirname "$0")/sampling.bash"

# Its pace is kept by the clock, whoever else computes.
find_precedence
start "${precedence[@]}" "$WORKLOADS/paced" 600
for event in malloc uprobe:libc:malloc; do
  sample -e "$event" -p "$started" -o "$tmp/a.pb.gz" 1
  expect_between "$recorded" $(($(length_us "$tmp/a.pb.gz") / 2000 - 25)) $(($(length_us "$tmp/a.pb.gz") / 2000 + 25)) "calls at 500 a second"
done
