#!/bin/bash
# A run many times longer than its maps could hold loses nothing: they are drained as they fill.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
# Ten times the histogram, at the least: longer where others want the CPU. Who is kept from its own CPU for long loses some:
# that is not always so.
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
