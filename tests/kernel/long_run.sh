#!/bin/bash
# A run many times longer than its maps could hold loses nothing: they are drained as they fill.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
# Ten times the histogram, at the least: longer where others want the CPU.
for seconds in 3 15; do
  sample_folded --stack-storage-size 512 --hash-storage-size 256 -F 4999 -p "$started" $seconds
  if (($(wc -l <"$tmp/out") >= 2560)); then break; fi
done
expect_between "$(wc -l <"$tmp/out")" 2560 1000000 "distinct stacks"
expect_share ';main;descend;.*;leaf( |;)' 90 100
expect_absent 'Missed'
