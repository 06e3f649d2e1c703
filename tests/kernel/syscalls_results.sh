#!/bin/bash
# --latency shows how long system calls took; --failed shows how many failed, and why.
source "$(dirname "$0")/syscalls.bash"

began_us=${EPOCHREALTIME/./}
trace --latency --failed -- "$WORKLOADS/calls" 2
lasted_us=$((${EPOCHREALTIME/./} - began_us))
expect_equal "$(figure 'latency["count"]' 'name == "clock_nanosleep"')" 20 "naps that returned"
# Each nap lasts at least 20 ms, and longer on a busy machine. All naps together are not longer than the run.
nap() { figure "latency['$1_ns']" 'name == "clock_nanosleep"'; }
lasted_ns=$((lasted_us * 1000))
expect_between "$(nap min)" 20000000 $(($(nap total) / 20)) "the shortest nap"
expect_between "$(nap max)" $(($(nap total) / 20)) $(($(nap total) - 19 * $(nap min))) "the longest nap"
expect_between "$(nap total)" 400000000 "$lasted_ns" "all naps"
for call in getppid write clock_nanosleep openat; do
  expect_equal "$(figure 'sum(bucket["count"] for bucket in latency["histogram"])' "name == '$call'")" \
    "$(figure 'latency["count"]' "name == '$call'")" "histogram of $call"
  expect_equal "$(figure 'latency["count"]' "name == '$call'")" "$(count_of "$call")" "calls of $call that returned"
done
# exit_group never returns.
expect_count exit_group 1
expect_equal "$(figure 'latency["count"]' 'name == "exit_group"')" 0 "returns of exit_group"

errors_of() { figure "sum(error['count'] for error in errors if error['name'] == '$2')" "name == '$1'"; }
expect_equal "$(errors_of write EBADF)" 66 "writes to no file"
expect_equal "$(figure failed 'name == "write"')" 66 "failed writes"
expect_equal "$(errors_of openat ENOENT)" 120 "opens of what is not there"
expect_equal "$(errors_of pause EINTR)" 2 "interrupted pauses"
expect_equal "$(figure failed 'name in ("getppid", "clock_nanosleep", "exit_group")')" 0 "failures of what did not fail"

# A call that is still running when the run ends is reported.
mkfifo "$tmp/go"
# shellcheck disable=SC2016
start bash -c 'read -r _ <"$1"; exec sleep 600' waits "$tmp/go"
begin_counted -e syscalls --latency -p "$started"
echo >"$tmp/go"
wait_until is_asleep "$started"
kill -INT "$profiler"
finish
expect_status 0
expect_err '^1 system call had not returned when the run ended'
