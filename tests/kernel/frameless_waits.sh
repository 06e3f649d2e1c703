#!/bin/bash
# Stacks of waits, allocations and system calls are complete without frame pointers. This includes spans and live
# allocations, which are counted long after their stack was taken.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "user stacks are not walked by tables here"

root='(_start;)?(__libc_start_main[^;]*;)?(__libc_start_call_main;)?main'
# begin_shape SHAPE : starts a process of its own as $started.
begin_shape() {
  start "$WORKLOADS/frameless" "$1" 600
  wait_until grep -qs frameless "/proc/$started/comm"
}
# has_reports N PATTERN : at least N lines match; each report has one such line.
has_reports() { (($(grep -cE -- "$2" "$tmp/out") >= $1)); }
# expect_whole SHAPE FUNCTION CALLED ARGUMENT... : all stacks of a process that already runs are complete, in several
# reports.
expect_whole() {
  local how
  for how in ${ways:-auto}; do
    echo "$* $how"
    begin_shape "$1"
    begin -U -f -a -i 0.2 -p "$started" --unwind "$how" "${@:4}"
    wait_until has_reports 3 "^frameless;$root;$2;([^;]*;)*[^;]*$3[^;]*(;[^;]*)* "
    kill -INT "$profiler"
    kill "$started"
    finish
    expect_status 0
    expect_balance
    # After its tables exist, all stacks are complete.
    grep -v '\[incomplete: no table yet\]' "$tmp/out" | grep -E ";[^;]*$3" | grep -vE "^frameless;$root;$2;" >"$tmp/cut"
    expect_silence cut
  done
}
# Frame pointers do not find the caller, so the difference comes from the tables.
expect_broken() {
  begin_shape "$1"
  sample_until is_there -f -U -p "$started" --unwind fp "${@:3}" 0.3
  kill "$started"
  expect_absent ";main;$2;"
}
is_there() { (($(folded_total .) > 0)); }

# One function of the BPF program takes the stacks of all these sources, so only one source is walked in both ways.
if has_event off-cpu; then
  ways='auto cfi' expect_whole naps nap_here nanosleep -e off-cpu
  expect_broken naps nap_here -e off-cpu
fi
for event in wall syscalls 'syscalls --latency'; do
  has_event "${event%% *}" || continue
  # shellcheck disable=SC2086
  expect_whole naps nap_here nanosleep -e $event
done
if has_event futex; then expect_whole waits wait_here pthread_cond_timedwait -e futex; fi
if has_event malloc; then expect_whole asks ask_here malloc -e malloc; fi

# A long wait is in every report. Its stack, which was taken before any table existed, is there, too.
if has_event off-cpu; then
  begin -U -f -i 0.2 -e off-cpu -- "$WORKLOADS/frameless" parked 600
  wait_until has_reports 5 "^frameless;$root;nap_for_good;[^ ]*nanosleep"
  kill -INT "$profiler"
  finish
  expect_balance
fi
# A thread that was blocked before the run began: the stack comes from the registers that the kernel has saved.
for event in off-cpu wall; do
  has_event "$event" || continue
  begin_shape parked
  wait_until is_asleep "$started"
  begin -U -f -i 0.2 -e "$event" -p "$started"
  wait_until has_reports 3 "^frameless;$root;nap_for_good;[^ ]*nanosleep"
  kill -INT "$profiler"
  kill "$started"
  finish
  expect_balance
done
if has_event malloc; then
  begin -U -f -i 0.2 -e malloc --live -- "$WORKLOADS/frameless" asks 600
  wait_until has_reports 5 "^frameless;$root;ask_here;keep_here;malloc 5000$"
  kill -INT "$profiler"
  finish
  expect_balance
  grep ';keep_here;malloc ' "$tmp/out" | grep -vE "^frameless;$root;ask_here;keep_here;malloc 5000$" >"$tmp/cut"
  expect_silence cut
fi

# Requests to this test's own device.
if has_event block-io && command -v losetup >/dev/null; then
  dd if=/dev/zero of="$tmp/disk" bs=1M count=1 2>/dev/null
  if loop=$(losetup --find --show --direct-io=off "$tmp/disk" 2>/dev/null); then
    at_exit "losetup -d '$loop'"
    export PROFILE_TEST_FILE=$loop
    expect_whole writes write_here pwrite -e block-io
  fi
fi
