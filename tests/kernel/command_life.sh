#!/bin/bash
# `-- COMMAND` is sampled from before its main to after it, with its children and theirs, and nobody else is.
source "$(dirname "$0")/sampling.bash"
need_timeliness

burn leaves.static 600
# Three tenths of a second of CPU time at 4,999 Hertz, a tenth in each part of its life; its start and end take little, and by
# frame pointers nobody is woken in the midst of one part to build tables.
sample_folded -F 4999 --unwind fp -- "$WORKLOADS/life"
expect_near ';before_main(;| )' 33.3
expect_near ';within_main(;| )' 33.3
expect_near ';after_main(;| )' 33.3
expect_share '^life;' 100 100
expect_between "$recorded" 1250 2000 "samples of a command that runs for 0.3 s"

sample_folded -F 499 -- "$WORKLOADS/family" 1
for member in 'family;.*burn_parent' 'family;.*burn_child' 'family;.*burn_grandchild' 'stranger;.*burn_stranger'; do
  expect_share "^$member" 4 75
done
expect_absent '^leaves'

# Many that are gone in no time.
sample_folded -F 999 -- bash -c 'for ((i = 0; i < 200; i++)); do /bin/true; done'
expect_present '^true;'
expect_absent '^leaves'
