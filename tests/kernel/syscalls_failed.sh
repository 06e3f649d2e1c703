#!/bin/bash
# Stacks with --failed are those of the calls that fail, each with its error.
source "$(dirname "$0")/syscalls.bash"

sample_folded -e syscalls --failed -- "$WORKLOADS/calls"
expect_equal "$(folded_total 'main;write_nothing;[a-z_]*write;write EBADF ')" 33 "writes to no file"
expect_equal "$(folded_total 'main;open_absent;[a-z_0-9]*open[a-z_0-9]*;openat ENOENT ')" 60 "opens of what is not there"
expect_equal "$(folded_total 'main;wait_for_alarm;[a-z_]*pause;pause EINTR ')" 1 "interrupted pauses"
expect_equal "$(folded_total ' ')" "$(folded_total ' E[A-Z]* ')" "calls with an error"
expect_equal "$(folded_total '(getppid|clock_nanosleep)')" 0 "calls that do not fail"
expect_balance

# The stream has the same calls, and the title says which they are.
profile -e syscalls --failed --stream=folded -- "$WORKLOADS/calls"
expect_status 0
expect_equal "$(grep -c ';write_nothing;.*;write EBADF' "$tmp/out")" 33 "writes to no file in the stream"
! grep ';getppid' "$tmp/out" || fail "a call that did not fail"
profile -e syscalls --failed -o "$tmp/a.html" -o - -- "$WORKLOADS/calls"
expect_status 0
grep -q ' write  *EBADF ' "$tmp/out" || fail "no table of errors"

# The table names the program that most failures of a kind are of; its process only if it is one.
grep -qE '^ *33 +[0-9.]+% +write +EBADF +calls \([0-9]+\) 100\.0% +Bad file descriptor$' "$tmp/out" ||
  fail "nobody fails: $(outcome)"
# shellcheck disable=SC2016  # the inner shell has these
profile -e syscalls --failed -- bash -c '"$0"; "$0"; true' "$WORKLOADS/calls"
expect_status 0
grep -qE '^ *66 +[0-9.]+% +write +EBADF +calls 100\.0% +Bad file descriptor$' "$tmp/out" || fail "two processes: $(outcome)"
grep -q 'failed system calls' "$tmp/a.html" || fail "the page does not say what failed"

# With --latency they are weighted by the time that the failed calls took; one that goes on has not failed.
profile -e syscalls --failed --latency -f -- "$WORKLOADS/calls"
expect_status 0
expect_balance
expect_equal "$(folded_total ';(clock_nanosleep|getppid|read) ')" 0 "time of calls that do not fail"
expect_between "$(folded_total 'main;wait_for_alarm;[a-z_]*pause;pause ')" 5000 60000000 "microseconds of an interrupted pause"
