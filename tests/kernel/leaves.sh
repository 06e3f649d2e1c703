#!/bin/bash
# Two leaves at 2:1 cost come out at 2:1 below their known chain, wherever in memory the program lies: position-independent,
# at a fixed address, static, in a shared library, and in one that has only its dynamic symbols left.
source "$(dirname "$0")/sampling.bash"
need_command strip

# two_to_one CHAIN HEAVY LIGHT
two_to_one() {
  wait_until is_at_work "$started"
  sample_folded -F 1999 -p "$started" 1
  expect_near ";$1;$2( |;)" 66.7
  expect_near ";$1;$3( |;)" 33.3
}

for program in leaves leaves.nopie leaves.static; do
  burn "$program" 60
  two_to_one 'main;outer;middle' heavy light
  kill "$started"
done

burn shared_leaves 60
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light
kill "$started"

cp "$WORKLOADS/libleaves.so" "$tmp/"
strip "$tmp/libleaves.so"
start env LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/libleaves.so" "$WORKLOADS/shared_leaves" 60
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light
