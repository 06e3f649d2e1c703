#!/bin/bash
# The idle CPUs' stacks are counted as idle and shown only with -I, then as the kernel's swapper.
source "$(dirname "$0")/sampling.bash"

# sample_some_idleness ARGUMENTS... : a run in which a CPU was idle for a tenth of a second at least, by the kernel's word.
idle_ticks() { awk '/^cpu / { print $5 }' /proc/stat; }
sample_some_idleness() {
  local before attempt
  for attempt in {1..10}; do
    before=$(idle_ticks)
    sample_folded -F 999 "$@" 0.5
    if (($(idle_ticks) - before >= 10)); then return; fi
  done
  skip "no CPU was idle for a tenth of a second in $attempt runs"
}

sample_some_idleness
((idle > 0)) || fail "idle CPUs were not counted; $(outcome)"
expect_absent '^swapper'

sample_some_idleness -I
expect_equal "$idle" 0 "samples left out as idle"
expect_present '^swapper/[0-9]+;.*do_idle'
