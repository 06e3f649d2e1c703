#!/bin/bash
# Probes take long to be put in and out; what is counted is what happens between, in the time that is said.
source "$(dirname "$0")/sampling.bash"

burn paced 60
for event in malloc uprobe:libc:malloc; do
  sample -e "$event" -p "$started" -o "$tmp/a.pb.gz" 1
  # Its pace is kept by the clock; who is late makes up for it.
  expect_between "$recorded" $(($(length_us "$tmp/a.pb.gz") / 2000 - 25)) $(($(length_us "$tmp/a.pb.gz") / 2000 + 25)) "calls at 500 a second"
done
