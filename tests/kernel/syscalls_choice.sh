#!/bin/bash
# --category, -p and --by-process of -e syscalls select calls and processes.
source "$(dirname "$0")/syscalls.bash"

trace --category network --latency -- "$WORKLOADS/calls"
expect_equal "$(figure count)" 101 "calls of the category network"
expect_equal "$(figure count "category != 'network'")" 0 "other calls"
expect_equal "$(figure 'latency["count"]' 'name in ("sendto", "recvfrom")')" 100 "sends and receives that returned"

trace --by-process -- sh -c "'$WORKLOADS/calls' 1 & '$WORKLOADS/calls' 2 & wait"
expect_equal "$(figure count "name == 'getppid' and process == 'calls'")" 3000 "getppid of both together"
expect_equal "$(figure 1 "name == 'getppid' and process == 'calls'")" 2 "processes that call getppid"
expect_equal "$(figure 1 "name == 'getppid' and count == 2000")" 1 "processes that call it 2000 times"
expect_equal "$(figure 1 'pid == 0')" 0 "calls of no process"

start "$WORKLOADS/calls" 100000
calls=$started
start "$WORKLOADS/calls" 100000
other_calls=$started
# Repeats for longer times on a busy machine.
for seconds in 1 8 60; do
  trace -p "$calls" --by-process $seconds
  expect_equal "$(figure count "pid != $calls")" 0 "calls of others"
  if (($(count_of getppid) > 0 && filtered > 0)); then break; fi
done
(($(count_of getppid) > 0)) || fail "no call of the process asked for; $(outcome)"
((filtered > 0)) || fail "nothing was filtered although others ran"

# The profiler's own calls do not count. The cgroup has only those two programs, because other processes could fill the
# table.
need_group
for pid in "$calls" "$other_calls"; do echo "$pid" >"$group/cgroup.procs"; done
for seconds in 0.7 7 60; do
  (in_group "$PROFILE" -e syscalls --format json --by-process --cgroup "$group" $seconds) >"$tmp/out" 2>"$tmp/err" </dev/null &
  profiler=$!
  finish
  expect_status 0
  expect_equal "$(figure count "pid == $profiler")" 0 "the profiler's own calls"
  if (($(figure 1 "name == 'getppid' and pid in ($calls, $other_calls)") == 2)); then break; fi
done
expect_equal "$(figure 1 "name == 'getppid' and pid in ($calls, $other_calls)")" 2 "processes that call getppid"
