#!/bin/bash
# The idle CPUs' stacks are counted as idle and shown only with -I, then as the kernel's swapper.
source "$(dirname "$0")/sampling.bash"

# By turns without -I and with it, because a guest's idle CPUs may take no samples for a while: both see some in the end, and
# one that sees none while the other does again and again is wrong.
counted=0 shown=0
for turn in {1..100}; do
  sample_folded -F 999 0.3
  expect_absent '^swapper'
  ((idle == 0)) || ((++counted))
  sample_folded -F 999 -I 0.3
  expect_equal "$idle" 0 "samples left out as idle"
  if (($(folded_total '^swapper') > 0)); then
    expect_present '^swapper/[0-9]+;.*do_idle'
    ((++shown))
  fi
  if ((counted > 0 && shown > 0)); then exit 0; fi
  # Where either comes as easily, chance gives one of them 31 and the other none once in 10^9 times.
  if ((counted + shown >= 31)); then fail "idle CPUs were counted in $counted runs of $turn and shown in $shown; $(outcome)"; fi
  if ((turn >= 10 && counted + shown < turn / 10)); then break; fi
done
skip "idle CPUs were sampled in $((counted + shown)) of $((2 * turn)) runs"
