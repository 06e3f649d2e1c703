#!/bin/bash
# Maps of 16 entries, and a program with a new stack for nearly every sample: collisions and a full histogram lose nothing.
source "$(dirname "$0")/sampling.bash"

burn many_stacks 600
# Longer where others want the CPU.
for seconds in 1.5 10; do
  sample_folded --stack-storage-size 16 --hash-storage-size 16 -F 999 $seconds
  if (($(grep -c '^many_stacks;' "$tmp/out") >= 300)); then break; fi
done
expect_present '^many_stacks;'
expect_between "$(grep -c '^many_stacks;' "$tmp/out")" 300 100000 "distinct stacks"
expect_present "^many_stacks;.*;main;descend;"

for seconds in 1 10; do
  sample_folded --stack-storage-size 16 --hash-storage-size 16 -F 4999 -p "$started" $seconds
  if ((recorded >= 300)); then break; fi
done
expect_between "$recorded" 300 100000 "samples"
expect_share ';main;descend;.*;leaf( |;)' 90 100
expect_absent 'Missed'
