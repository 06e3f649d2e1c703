#!/bin/bash
# Calls with 32-bit and x32 numbers have their own names; an unknown call shows its number.
source "$(dirname "$0")/syscalls.bash"

[[ $(uname -m) == x86_64 ]] || skip "only x86-64 has them"
"$WORKLOADS/odd_calls" || skip "this kernel has no 32-bit calls"

trace --failed -- "$WORKLOADS/odd_calls"
expect_count getppid 340
expect_count semget 0
expect_count "syscall 999" 30
expect_count "syscall 5000" 10
expect_equal "$(figure failed 'name == "syscall 999"')" 30 "failed calls of number 999"
expect_equal "$(figure count 'name == "syscall 999" and category == "other"')" 30 "of category other"
