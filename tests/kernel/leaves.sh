#!/bin/bash
# Two leaves at 2:1 cost come out at 2:1 below their known chain, wherever in memory the program lies: position-independent,
# at a fixed address, static, in a shared library, and in one that has only its dynamic symbols left.
source "$(dirname "$0")/sampling.bash"
need_command strip

# two_to_one CHAIN HEAVY LIGHT : of the program that was started, until it has computed for as long as it was told to.
two_to_one() {
  wait_until is_at_work "$started"
  sample_folded -F 1999 -p "$started"
  expect_near ";$1;$2( |;)" 66.7
  expect_near ";$1;$3( |;)" 33.3
}

for program in leaves leaves.nopie leaves.static; do
  burn "$program" 0.7cpu
  two_to_one 'main;outer;middle' heavy light
done

burn shared_leaves 0.7cpu
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light

cp "$WORKLOADS/libleaves.so" "$tmp/"
strip "$tmp/libleaves.so"
LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/libleaves.so" burn shared_leaves 0.7cpu
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light
