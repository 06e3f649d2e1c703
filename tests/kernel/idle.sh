#!/bin/bash
# The idle CPUs' stacks are counted as idle and shown only with -I, then as the kernel's swapper.
source "$(dirname "$0")/sampling.bash"

# By turns without -I and with it, because a guest's idle CPUs may take no samples for a while: both see some in the end, and
# one that sees none while the other does again and again is wrong.
counted=0 shown=0
for _ in {1..10}; do
  sample_folded -F 999 0.5
  expect_absent '^swapper'
  ((idle == 0)) || ((++counted))
  sample_folded -F 999 -I 0.5
  expect_equal "$idle" 0 "samples left out as idle"
  if (($(folded_total '^swapper') > 0)); then
    expect_present '^swapper/[0-9]+;.*do_idle'
    ((++shown))
  fi
  if ((counted > 0 && shown > 0)); then exit 0; fi
done
((counted + shown >= 4)) || skip "idle CPUs were sampled in $((counted + shown)) of twenty runs"
fail "idle CPUs were counted in $counted runs of ten and shown in $shown; $(outcome)"
