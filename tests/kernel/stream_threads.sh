#!/bin/bash
# A stream outlives more threads, and more of what a table would list, than there is room for in the kernel at a time: no
# sample is lost, and nothing is said of tables that a stream does not show.
source "$(dirname "$0")/sampling.bash"

threads=18000 # there is room for 16384 where few are alive
for event in off-cpu wall futex; do
  echo "$event"
  has_event "$event" || continue
  sample --stream=folded -e "$event" -- "$WORKLOADS/crowd" $threads 600
  expect_equal "$(grep -c . "$tmp/out")" "$recorded" "samples of -e $event in the stream"
  expect_no_err 'not in the (table|list)'
  # Some kernels do not tell of every switch.
  expect_between "$(grep -c ';wait_alone' "$tmp/out")" $((threads * 3 * 95 / 100)) $((threads * 5)) "waits of -e $event"
done

# What only tables would tell is not asked of system calls.
sample --stream=folded -e syscalls --latency --failed --by-process -- "$WORKLOADS/crowd" 500 600
expect_equal "$(grep -c . "$tmp/out")" "$recorded" "system calls in the stream"
expect_equal "$(grep -cE ';wait_alone;(.*;)?futex [0-9]+$' "$tmp/out")" 1500 "waits that are system calls"
expect_no_err 'without a|had not returned'
