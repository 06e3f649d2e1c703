#!/bin/bash
# Which waits count, by length and by state. Each option is tested with waits that count and waits that do not.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu

# Each function waits 20 times for 15 ms, 0.3 s in all. The program measures the true time, which grows on a busy
# machine.
expect_naps() {
  local truth
  truth=$(sed -n 's/^sleep //p' "$tmp/out")
  expect_between "$(folded_total ';wait_sleep;' "$tmp/waits.folded")" 290000 $((truth * 102 / 100 + 500)) "microseconds of naps"
}
off_cpu() { sample -e off-cpu -o "$tmp/waits.folded" "$@" -- "$WORKLOADS/waits" /dev/null 600; }
off_cpu --min-block-us 5000 --max-block-us 600000000
expect_naps
off_cpu --min-block-us 600000000
expect_absent ';wait_(sleep|pipe|futex);' "$tmp/waits.folded"
((filtered > 40)) || fail "the waits that are too short are not counted as filtered: $filtered"
off_cpu --state interruptible --max-block-us 5000
expect_absent ';wait_sleep;' "$tmp/waits.folded"

off_cpu --state interruptible
expect_naps
off_cpu --state uninterruptible
expect_absent ';wait_(sleep|pipe|futex);' "$tmp/waits.folded"

# Two threads that never rest share one CPU, so at least one of them is preempted at any time.
need_command taskset
start taskset -c 0 "$WORKLOADS/threads" 600
red=$started/task/$(tid_of "$started" red)
green=$started/task/$(tid_of "$started" green)
wait_until is_at_work "$red"
wait_until is_at_work "$green"
begin -e off-cpu --state preempted -p "$started" -o - -o "$tmp/a.folded" -o "$tmp/a.pb.gz"
wait_until has_begun
let_work "$red" 50
let_work "$green" 50
kill -INT "$profiler"
finish
expect_status 0
expect_balance
all_us=$(length_us "$tmp/a.pb.gz")
for thread in red green; do expect_between "$(folded_total "^$thread;" "$tmp/a.folded")" 200000 $all_us "microseconds of preemption of $thread"; done
expect_between "$(folded_total '^(red|green);' "$tmp/a.folded")" $((all_us * 9 / 10)) $((2 * all_us)) "microseconds of preemption of both"
sample -e off-cpu -f --state interruptible -p "$started" 1
expect_absent '^(red|green);'
expect_present '^threads;'

# -C selects waits by the CPU that the thread leaves.
other=$(sed 's/.*[,-]//' /sys/devices/system/cpu/online)
if ((other != 0)); then
  sample -e off-cpu -f -C "$other" -p "$started" --state preempted 1
  expect_absent '^(red|green);'
fi

# The kernel's threads wait all the time. The table shows them as one number and does not list them.
profile -e off-cpu --format table 0.5
expect_status 0
expect_balance_with_losses
time='[0-9.]+ m?s'
expect_out "^all together $time in [0-9]+ waits?;( [^;]* never woke up, [^;]*;)? kernel threads, $time, are left out(;.*)?$"
expect_no_out ' (kthreadd|rcu_preempt|ksoftirqd/[0-9]+|kworker/.*) +[0-9.]+ +[0-9.]+% '
