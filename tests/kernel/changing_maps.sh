#!/bin/bash
# Libraries that take each other's place, children without an exec and a pid used again: an address has the name it had then.
source "$(dirname "$0")/sampling.bash"

# expect_halves : two libraries one after the other at one place, each named while it was there.
expect_halves() {
  expect_share '^first;.*main;run_from[^;]*;use_library;library_turn;in_first ' "$1" 80
  expect_share '^second;.*main;run_from[^;]*;use_library;library_turn;in_second ' "$1" 80
  expect_absent '^first;.*in_second'
  expect_absent '^second;.*in_first'
  expect_absent '\[lib(first|second).so'
}
sample_folded -F 999 -- "$WORKLOADS/swapper" 1
expect_halves 20
# A process that has the first one loaded when the profile begins; again two seconds for two halves.
burn swapper 3
is_first() { grep -qx first "/proc/$started/comm"; }
wait_until is_first
sample_folded -F 999 -U -p "$started" 2.5
expect_halves 20

# A child that does not execute anything has its parent's files, whenever it was made.
sample_folded -F 499 -- "$WORKLOADS/family" 1
expect_share '^family;.*main;burn_child ' 10 50
expect_share '^family;.*main;burn_grandchild ' 10 50
burn family 1.5
sleep 0.3
sample_folded -F 499 -U 0.5
expect_present '^family;.*main;burn_child '
expect_present '^family;.*main;burn_grandchild '

# One pid, two programs one after the other in one profile.
last=/proc/sys/kernel/ns_last_pid
[[ -w $last ]] || exit 0
begin_counted -F 999 -o - -o "$tmp/out.folded"
"$WORKLOADS/leaves" 0.4 &
reused=$!
wait "$reused"
for ((try = 0; try < 50; try++)); do
  # Without a fork between the two lines; someone else's fork may still take the number.
  echo $((reused - 1)) >"$last"
  "$WORKLOADS/depth" 6 0.4 &
  if (($! == reused)); then break; fi
  kill "$!"
  wait "$!" 2>/dev/null
done
again=$!
wait "$again"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_present '^leaves;.*main;outer;middle;heavy ' "$tmp/out.folded"
expect_absent '^leaves;.*\[leaves\+0x' "$tmp/out.folded"
expect_absent '^depth;.*(outer|middle|heavy|light)' "$tmp/out.folded"
expect_absent '^depth;.*\[(depth|leaves)\+0x' "$tmp/out.folded"
expect_present '^depth;.*main;dive;dive;dive;dive;bottom' "$tmp/out.folded"
if ((again == reused)); then
  expect_out "^    -                leaves \($reused\)$"
  expect_out "^    -                depth \($reused\)$"
fi
