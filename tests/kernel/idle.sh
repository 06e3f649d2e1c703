#!/bin/bash
# Samples of idle CPUs are counted as idle. Only -I shows them, as the kernel's swapper.
source "$(dirname "$0")/sampling.bash"

# Runs alternate without -I and with it, because the idle CPUs of a guest may take no samples for a while. Both kinds of
# run must see some in the end; it is an error when only one kind sees them again and again.
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
  # If both are equally likely, a result of 31 to 0 happens by chance once in 10^9 times.
  if ((counted + shown >= 31)); then fail "idle CPUs were counted in $counted runs of $turn and shown in $shown; $(outcome)"; fi
  if ((turn >= 10 && counted + shown < turn / 10)); then break; fi
done
skip "idle CPUs were sampled in $((counted + shown)) of $((2 * turn)) runs"
