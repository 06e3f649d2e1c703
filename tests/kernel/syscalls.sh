#!/bin/bash
# -e syscalls counts every system call of a command, and shows their categories.
source "$(dirname "$0")/syscalls.bash"

# Another program that must not be counted.
start "$WORKLOADS/calls" 100000
trace -- "$WORKLOADS/calls" 3
expect_count getppid 3000
expect_count write 300
expect_count clock_nanosleep 30
expect_count sendto 150
expect_count recvfrom 150
expect_count socketpair 3
expect_count pause 3
# The process of the command also reads before it becomes the command.
expect_between "$(count_of read)" 600 606 "calls of read"
expect_equal "$(figure count "category == 'network'")" 303 "calls of the category network"
((filtered > 0)) || fail "nothing was filtered although others ran"

# The simple form takes no stack and fills no map.
profile -e syscalls -- "$WORKLOADS/calls"
expect_status 0
expect_balance
expect_out '^ *1000 .* getppid$'
expect_out '^behaviour: [a-z_]+ \(.+\)$'

# The calls of one category do not show the mix.
profile -e syscalls --category time -- "$WORKLOADS/calls"
expect_status 0
expect_balance
expect_out '^ *10 .* clock_nanosleep$'
expect_no_out '^behaviour'
