#!/bin/bash
# Interval reports of -e syscalls add up to the true counts, although the tables are emptied between them.
source "$(dirname "$0")/syscalls.bash"

trace --latency --failed --by-process -i 0.15 -- "$WORKLOADS/calls" 4
(($(grep -o '"syscalls":' "$tmp/out" | wc -l) > 1)) || fail "one report of all intervals; $(outcome)"
expect_count getppid 4000
expect_count write 400
expect_equal "$(figure 'latency["count"]' 'name == "getppid"')" 4000 "getppid that returned"
expect_equal "$(figure 'latency["count"]' 'name == "clock_nanosleep"')" 40 "naps that returned"
expect_equal "$(figure failed 'name == "write"')" 132 "failed writes"
