#!/bin/bash
# A thread that is not the first of its process executes another program. Its execve has returned, because the thread
# takes the place of the first thread; what the new program does later is not part of execve.
source "$(dirname "$0")/syscalls.bash"
source "$(dirname "$0")/compiling.bash"
sleep=$(command -v sleep)

began_us=${EPOCHREALTIME/./}
trace --latency --failed -- "$WORKLOADS/heir" "$sleep" 1
lasted_us=$((${EPOCHREALTIME/./} - began_us))
expect_count execve 2
expect_equal "$(figure 'latency["count"]' 'name == "execve"')" 2 "returns of execve"
# They come one after the other, so both together are not longer than the run. If the sleep counted as execve, they
# would be.
slept=$(figure 'latency["total_ns"]' 'name == "clock_nanosleep"')
expect_between "$(figure 'latency["total_ns"]' 'name == "execve"')" 1 $((lasted_us * 1000 - slept)) \
  "nanoseconds in execve, beside $slept of sleep"
((slept >= 1020000000)) || fail "only $slept nanoseconds of sleep; $(outcome)"
expect_no_err 'had not returned'

trace --failed -- "$WORKLOADS/heir" "$sleep" 0.1
expect_equal "$(figure failed 'name == "execve"')" 0 "failures of execve"
expect_no_err 'had not returned'

for arguments in -f --stream=folded; do
  profile -e syscalls --latency $arguments -- "$WORKLOADS/heir" "$sleep" 1
  expect_status 0
  expect_balance
  expect_no_err 'had not returned'
done
expect_equal "$(grep -cE ';execve [0-9]+$' "$tmp/out")" 2 "execve in the stream"
began_us=${EPOCHREALTIME/./}
profile -e syscalls --latency -f -- "$WORKLOADS/heir" "$sleep" 1
lasted_us=$((${EPOCHREALTIME/./} - began_us))
expect_between "$(folded_total ';execve ')" 1 $((lasted_us - $(folded_total ';clock_nanosleep '))) "microseconds in execve"

# The profiler searches PATH for the command; its failed attempts do not count as the command's.
ln -s "$sleep" "$tmp/nap"
mkdir "$tmp/first" "$tmp/first/nap"
PATH=$tmp/absent:$tmp/first:$tmp:$PATH
trace --failed -- nap 0.1
expect_count execve 1
expect_equal "$(figure failed 'name == "execve"')" 0 "failures of execve in the search"

# It returns in the new program, but the stack is of the one that called it.
cat >"$tmp/caller.c" <<'C'
#include "workload.h"
extern char** environ;
void run_other(char** argv) { call(SYS_execve, (long)argv[0], (long)argv, (long)environ, 0); }
int main(int argc, char** argv) {
  (void)argc;
  run_other(argv + 1);
  return 1;
}
C
build "$tmp/caller" "$tmp/caller.c"
profile -e syscalls --latency -f -- "$tmp/caller" "$sleep" 0.1
expect_status 0
expect_present '^caller;.*;main;run_other;.*execve [0-9]+$'
