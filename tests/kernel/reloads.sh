#!/bin/bash
# Eight libraries lie at one address, each for a moment, and are called from one place. Their stacks have the same
# addresses, but each is named by the library that was there: where that was not followed, a frame is unknown.
source "$(dirname "$0")/compiling.bash"

cat >"$tmp/lib.c" <<'C'
#include "workload.h"
void LEAF(unsigned long turns) { WORK(turns); }
void inner(unsigned long turns) { LEAF(turns); KEEP_FRAME(); }
void top(unsigned long turns) { inner(turns); KEEP_FRAME(); }
C
for at in {0..7}; do
  build "$tmp/lib.$at" "$tmp/lib.c" "-DLEAF=leaf_$at" "-Dinner=inner_$at" -shared -fPIC -Wl,-Bsymbolic
done

# expect_own CASE : no leaf has the caller of another library's leaf.
expect_own() {
  local at
  for at in {0..7}; do expect_absent ";inner_$at;leaf_[^$at]"; done
  expect_present ';main;run_library;top;inner_[0-7];leaf_[0-7] '
}

for how in auto cfi fp; do
  # So seldom that each library is followed.
  sample_folded -F 499 -U --unwind "$how" -- "$WORKLOADS/reloads" "$tmp/lib" 50000 3.2cpu
  expect_own
  for at in {0..7}; do expect_near ";leaf_$at " 12.5; done
  # So often that most are not.
  sample_folded -F 499 -U --unwind "$how" -- "$WORKLOADS/reloads" "$tmp/lib" 100 1cpu
  for at in {0..7}; do
    expect_absent ";inner_$at;leaf_[^$at]"
    expect_between "$(folded_total ";leaf_$at ")" 0 $((recorded / 5)) "samples in library $at of $recorded"
  done
  # So many in turn that the older half is joined, when the first has got its names already. It is used for 50 ms, the
  # second for 1.6 s, and then all of them for as long as each other, as far as they are followed.
  sample_folded -F 997 -U --unwind "$how" -- "$WORKLOADS/reloads" "$tmp/lib" 3000 late 6cpu
  for at in {0..7}; do
    expect_absent ";inner_$at;leaf_[^$at]"
    expect_between "$(folded_total ";leaf_$at ")" $((recorded / 200)) $((at == 1 ? recorded / 2 : recorded / 6)) \
      "samples in library $at of $recorded"
  done
done
