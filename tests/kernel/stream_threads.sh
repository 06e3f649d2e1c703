#!/bin/bash
# A stream sees more threads, and more table entries, than the kernel has room for at a time. No sample is lost, and no
# message is about tables that a stream does not show.
source "$(dirname "$0")/sampling.bash"

threads=18000 # there is room for 16384 where few are alive
for event in off-cpu wall futex; do
  echo "$event"
  has_event "$event" || continue
  profile --stream=folded -e "$event" -- "$WORKLOADS/crowd" $threads 600
  expect_status 0
  expect_balance_with_losses
  # Only samples that were not read in time may be lost.
  ((lost == 0)) || expect_err " $lost lost \\($lost ring buffer full\\)[;,]"
  expect_equal "$(grep -c . "$tmp/out")" "$recorded" "samples of -e $event in the stream"
  expect_no_err 'not in the (table|list)'
  # Some kernels do not report every switch, and a late thread may find its time already over. Both rarely happen for
  # all three waits of a thread.
  waited=$(awk '/;wait_alone/ { seen[$4] = 1 } END { print length(seen) }' "$tmp/out")
  expect_between $((waited + lost)) $((threads * 97 / 100)) $((threads + lost)) "threads that waited, by -e $event"
done

# A stream does not collect what only tables of system calls show.
sample --stream=folded -e syscalls --latency --failed --by-process -- "$WORKLOADS/crowd" 500 600
expect_equal "$(grep -c . "$tmp/out")" "$recorded" "system calls in the stream"
expect_equal "$(grep -cE ';wait_alone;(.*;)?futex [0-9]+$' "$tmp/out")" 1500 "waits that are system calls"
expect_no_err '(system calls?|failures?) without a|had not returned'
