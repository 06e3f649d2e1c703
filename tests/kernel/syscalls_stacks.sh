#!/bin/bash
# -f with -e syscalls shows the user stacks that lead to the calls, by count, or by time with --latency.
source "$(dirname "$0")/syscalls.bash"

# This also works where the C library's wrapper has no frame, so that frame pointers skip its caller.
for workload in calls calls.static; do
  sample_folded -e syscalls -- "$WORKLOADS/$workload"
  expect_equal "$(folded_total 'main;ask_parent;[a-z_]*getppid;getppid ')" 1000 "getppid below ask_parent"
  expect_equal "$(folded_total 'main;write_nothing;[a-z_]*write;write ')" 100 "write below write_nothing"
  expect_equal "$(folded_total ';getppid ')" 1000 "all getppid"
done

profile -e syscalls --latency -f -o - -o "$tmp/a.pb.gz" -o "$tmp/a.html" -- "$WORKLOADS/calls"
expect_status 0
expect_balance
# The page also has the tables.
grep -Eq '"tables":\["Top [0-9]+ system calls.*clock_nanosleep' "$tmp/a.html" || fail "no tables in the page"
grep -q '"tag":"system call"' "$tmp/a.html" || fail "the page calls system calls something else"
expect_between "$(folded_total 'main;nap;[a-z_]*clock_nanosleep;clock_nanosleep ')" 200000 "$(length_us "$tmp/a.pb.gz")" "microseconds of naps"

# A call that is still running counts up to the end of the run.
mkfifo "$tmp/go"
# shellcheck disable=SC2016
start bash -c 'read -r _ <"$1"; exec sleep 600' waits "$tmp/go"
begin_counted -e syscalls --latency -p "$started" -o - -o "$tmp/a.folded"
start_us=${EPOCHREALTIME/./}
echo >"$tmp/go"
wait_until is_asleep "$started"
asleep_us=${EPOCHREALTIME/./}
sleep 0.5
least_us=$((${EPOCHREALTIME/./} - asleep_us))
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_between "$(folded_total ';clock_nanosleep ' "$tmp/a.folded")" "$least_us" $((${EPOCHREALTIME/./} - start_us)) "microseconds of sleep"
