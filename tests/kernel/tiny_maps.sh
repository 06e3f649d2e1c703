#!/bin/bash
# Maps of 16 entries, and a program with a new stack for nearly every sample: collisions and a full histogram lose
# nothing.
# Promise 1: no sample is lost silently.
# Promise 2: a stack that the stack map cannot hold goes whole through the ring buffer.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
wait_until is_at_work "$started"
# sample_tiny : a sample without room in the maps is not lost. Only the ring may lose samples, when the profiler does
# not read in time.
sample_tiny() {
  profile -f --stack-storage-size 16 --hash-storage-size 16 "$@"
  expect_status 0
  expect_balance_with_losses
  expect_folded_total
  ((lost == 0)) || expect_err " $lost lost \\($lost ring buffer full\\)[;,]"
}
# Repeats for longer times on a busy machine.
for seconds in 1.5 10 60; do
  sample_tiny -F 999 $seconds
  if (($(grep -c '^many_stacks;' "$tmp/out") >= 300)); then break; fi
done
expect_between "$(grep -c '^many_stacks;' "$tmp/out")" 300 100000 "distinct stacks"
expect_present "^many_stacks;.*;main;descend;"

for seconds in 1 10 60; do
  sample_tiny -F 4999 -p "$started" $seconds
  if ((recorded >= 300)); then break; fi
done
((recorded >= 300)) || fail "only $recorded samples"
expect_share ';main;descend;.*;leaf( |;)' 90 100
expect_absent 'Missed'
