#!/bin/bash
# Stacks of tracepoints and probes are complete without frame pointers, from the first hit of a process on.
# Promise 4: a process that has exited still has names, and its stacks are whole.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "user stacks are not walked by tables here"

root='(_start;)?(__libc_start_main[^;]*;)?(__libc_start_call_main;)?main'
# expect_whole SHAPE CHAIN ARGUMENT... : all stacks of a process that already runs are complete.
expect_whole() {
  echo "$*"
  start "$WORKLOADS/frameless" "$1" 600
  wait_until grep -qs frameless "/proc/$started/comm"
  has_hits() { (($(folded_total "^[^;]*;$2 ") >= 100)); }
  begin -U -f -a -i 0.2 -p "$started" "${@:3}"
  wait_until has_hits "$@"
  kill -INT "$profiler"
  kill "$started"
  finish
  expect_status 0
  expect_balance
  expect_folded_total
}
whole_by_all_ways() {
  expect_whole "$@"
  expect_whole "$@" --unwind cfi
}
# A function that has just been entered has its caller. So does a function of the C library, which has no frame.
whole_by_all_ways plain "$root;first;second;third;spin" -e "uprobe:$WORKLOADS/frameless:spin"
whole_by_all_ways naps "$root;nap_here;([^;]*nanosleep[^;]*)" -e uprobe:libc:nanosleep
whole_by_all_ways naps "$root;nap_here;[^;]*nanosleep[^; ]*(;[^;]*nanosleep[^; ]*)?" -e syscalls:sys_enter_clock_nanosleep

# Frame pointers do not find the caller, so the difference comes from the tables.
start "$WORKLOADS/frameless" naps 600
sample_enough 50 -U -p "$started" --unwind fp -e syscalls:sys_enter_clock_nanosleep 0.3
expect_absent ';main;nap_here;'

# The same for a command: its tables do not exist at its first hits, and not all of these stacks are completed later.
sample_folded -U -e "uprobe:$WORKLOADS/frameless:spin" -- "$WORKLOADS/frameless" plain 0.3cpu
expect_equal "$(folded_total ';third;spin ')" "$recorded" "hits with the caller"
expect_present ";main;first;second;third;spin "

# Nor is there a table when a new file runs for 20 ms. All of its stacks are completed, also where a frame is so large
# that the rest of the stack lies tens of kilobytes away. Of those, a fast machine makes more than there is room for.
for shape in plain roomy; do
  cp "$WORKLOADS/frameless" "$tmp/$shape$$"
  sample_folded -U -e "uprobe:$tmp/$shape$$:spin" -- "$tmp/$shape$$" "$shape" 0.02cpu
  [[ $shape == plain ]] && chain='first;second;third' || chain=roomy
  [[ $shape == plain ]] && least=90 || least=40
  expect_share "^[^;]*;$root;$chain;spin " "$least" 100
done
