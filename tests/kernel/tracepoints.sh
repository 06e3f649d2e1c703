#!/bin/bash
# Hits of a tracepoint are counted one by one, by stack, whether tracefs is mounted or not. With -c and -F there are
# fewer samples and the same total.
source "$(dirname "$0")/sampling.bash"
report=$tmp/report.folded
asked=syscalls:sys_enter_getppid

for i in {1..50}; do echo "/bin/true $i"; done >"$tmp/fifty.sh"
sample -e sched:sched_process_exec -o "$report" -- bash "$tmp/fifty.sh"
expect_equal "$(folded_total '^true;.*execve' "$report")" 50 "programs executed"
expect_folded_total "$report"

sample -e "$asked" -o "$report" -- "$WORKLOADS/asks" 30000 600
expect_equal "$(folded_total '^asks;.*;main;(ask;)?syscall;' "$report")" 30000 "hits"
expect_equal "$recorded" 30000 "samples"
# No frame of the tracing itself is at the leaf.
expect_absent '(perf_|bpf_|trace_call)[a-z_]* [0-9]+$' "$report"

sample -e "$asked" -c 10 -o "$report" -- taskset -c 0 "$WORKLOADS/asks" 30000 600
expect_equal "$(folded_total . "$report")" 30000 "hits by tens"
expect_equal "$recorded" 3000 "samples"
expect_no_err 'in no stack'
sample -e "$asked" -c 1000 -o "$report" -- taskset -c 0 "$WORKLOADS/asks" 2500 600
expect_equal "$(folded_total . "$report")" 2000 "hits by thousands"
expect_err '^500 hits after the last sample of their CPU are in no stack$'
# Hits after the last sample of a CPU are in no stack, and are reported.
sample -e "$asked" -F 999 -o "$report" -- "$WORKLOADS/asks" 1000000 600
in_none=$(sed -nE 's/^([0-9]+) hits? after the last sample of their CPU (are|is) in no stack$/\1/p' "$tmp/err")
expect_equal $(($(folded_total . "$report") + ${in_none:-0})) 1000000 "hits by a rate"
expect_between "$recorded" 1 500000 "samples by a rate"

# -C also works here, although the BPF program runs on all CPUs.
if [[ -e /sys/devices/system/cpu/cpu1 ]]; then
  sample -e "$asked" -C 1 -o "$report" -- taskset -c 1 "$WORKLOADS/asks" 2000 600
  expect_equal "$recorded" 2000 "hits on the CPU asked for"
  sample -e "$asked" -C 0 -o "$report" -- taskset -c 1 "$WORKLOADS/asks" 2000 600
  expect_equal "$recorded" 0 "hits on another CPU"
fi

# Events during another BPF program on the same CPU are not seen, and that is reported. Here it is the page fault of
# each sample: a frame pointer leads to memory that was never touched.
profile -e exceptions:page_fault_kernel 0.1
if ((status == 0)); then
  begin_counted -e exceptions:page_fault_kernel
  "$PROFILE" -F 499 -f --unwind fp -- "$WORKLOADS/untouched" 1cpu >"$tmp/faulting" 2>/dev/null
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance_with_losses
  missed=$(sed -nE 's/^([0-9]+) events were not seen: another BPF program was at work on that CPU$/\1/p' "$tmp/err")
  faults=$(folded_total '^untouched;' "$tmp/faulting")
  ((faults > 0)) || fail "no sample of untouched: $(cat "$tmp/faulting")"
  expect_between "${missed:-0}" "$((faults * 9 / 10))" 1000000000 "events not seen, of $faults"
fi

# The header, and a run without a command.
profile -e "$asked" 0.1
expect_out "^Counting $asked of all threads by user \\+ kernel stack for 0\\.1 secs\\.$"
profile -e "$asked" -c 5 -p $$ 0.1
expect_out "^Sampling $asked every 5 events of PID "
expect_status 0

# Where tracefs is not mounted, it can still be read, and is not mounted afterwards.
need_command unshare
# shellcheck disable=SC2016
run unshare --mount bash -c '
  while umount /sys/kernel/tracing 2>/dev/null; do :; done
  umount --recursive /sys/kernel/debug 2>/dev/null
  "$@"
  echo "status $?"
  grep -c " - tracefs " /proc/self/mountinfo' \
  unmounted "$PROFILE" -e "$asked" -o "$report" -- "$WORKLOADS/asks" 500 600
expect_out '^status 0$'
expect_out '^0$'
expect_equal "$(folded_total . "$report")" 500 "hits without a mounted tracefs"

# Events that do not exist.
profile -e shed:sched_switch 1
expect_status 1
expect_err '^profile: -e shed:sched_switch: no tracepoint system shed in this kernel; the nearest: sched$'
profile -e sched:sched_swich 1
expect_status 1
expect_err '^profile: -e sched:sched_swich: no tracepoint sched_swich in sched; the nearest: sched_switch$'
