#!/bin/bash
# `-- COMMAND` samples the command from before its main to after it, with all its descendants, and no other process.
source "$(dirname "$0")/sampling.bash"
need_timeliness

burn leaves.static 600
# 0.3 seconds of CPU time at 4,999 Hertz, 0.1 in each part of its life.
sample_folded -F 4999 --unwind fp -- "$WORKLOADS/life"
for part in before_main within_main after_main; do expect_present "^life;(.*;)?$part(;| )"; done
expect_share '^life;' 100 100

# Each process computes for 0.2 seconds.
sample_folded -F 499 -- "$WORKLOADS/family" 0.2cpu
for member in 'family;.*burn_parent' 'family;.*burn_child' 'family;.*burn_grandchild' 'stranger;.*burn_stranger'; do
  expect_present "^$member"
done
expect_absent '^leaves'

# Many processes that end immediately.
sample_folded -F 999 -- bash -c 'for ((i = 0; i < 200; i++)); do /bin/true; done'
expect_present '^true;'
expect_absent '^leaves'
