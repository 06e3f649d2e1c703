#!/bin/bash
# Stacks of depth 10 and 100 are whole; with --max-stack-depth the frames next to the leaf stay.
source "$(dirname "$0")/sampling.bash"

# dives N : the folded frames of `depth N`.
dives() {
  local dives
  printf -v dives '%*s' $(($1 - 2)) ''
  printf ';main;%sbottom ' "${dives// /dive;}"
}

for frames in 10 100; do
  burn depth "$frames" 60
  sample_folded -F 499 -U -p "$started" 0.5
  expect_share "$(dives "$frames")" 95 100
done
sample_folded -F 499 -U -p "$started" --max-stack-depth 5 0.5
expect_share '^depth;dive;dive;dive;dive;bottom ' 95 100

most=$(cat /proc/sys/kernel/perf_event_max_stack)
profile --max-stack-depth $((most + 1)) 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err "^profile: --max-stack-depth $((most + 1)): .*kernel\.perf_event_max_stack"
expect_silence out
