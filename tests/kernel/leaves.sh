#!/bin/bash
# Two leaves with costs of 2:1 are reported as 2:1 below their known chain, wherever the code lies:
# position-independent, at a fixed address, static, in a shared library, and in a library that has only dynamic symbols.
source "$(dirname "$0")/sampling.bash"
need_command strip

# two_to_one CHAIN HEAVY LIGHT : checks $started, and ends it.
two_to_one() {
  sample_work "$started" 60 -F 1999
  expect_near ";$1;$2( |;)" 66.7
  expect_near ";$1;$3( |;)" 33.3
  kill "$started"
}

for program in leaves leaves.nopie leaves.static; do
  burn "$program" 600
  two_to_one 'main;outer;middle' heavy light
done

burn shared_leaves 600
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light

cp "$WORKLOADS/libleaves.so" "$tmp/"
strip "$tmp/libleaves.so"
LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/libleaves.so" burn shared_leaves 600
two_to_one 'main;call_library;lib_outer;lib_middle' lib_heavy lib_light
