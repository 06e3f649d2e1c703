#!/bin/bash
# A run that has many times more stacks than its maps can hold loses nothing, because the maps are drained as they fill.
# Promise 3: a run can have any length.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
# At least ten times the size of the histogram, so the run is longer on a busy machine. A thread that is kept from its
# CPU for long loses samples, but not in every run.
for seconds in 3 6 12 24 24; do
  profile -f --stack-storage-size 512 --hash-storage-size 256 -F 4999 -p "$started" $seconds
  expect_status 0
  expect_balance_with_losses
  expect_folded_total
  if (($(wc -l <"$tmp/out") >= 2560 && lost == 0)); then break; fi
done
expect_balance
expect_between "$(wc -l <"$tmp/out")" 2560 1000000 "distinct stacks"
expect_share ';main;descend;.*;leaf( |;)' 90 100
expect_absent 'Missed'
