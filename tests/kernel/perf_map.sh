#!/bin/bash
# Code that a program makes has the names of its perf map, with and without 0x in it, and by the pid the program itself knows
# in a namespace of its own.
source "$(dirname "$0")/sampling.bash"
need_command unshare pgrep

for kind in plain prefixed; do
  burn jit "$kind" 10
  at_exit "rm -f /tmp/perf-$started.map"
  wait_until test -s "/tmp/perf-$started.map"
  sample_folded -F 999 -U -p "$started" 0.5
  expect_share ';main;run_made;made_loop ' 90 100
  expect_absent '\[unknown\]'
  expect_no_err 'JIT code'
  kill "$started"
done

# The map appears while the profile runs, and the program is gone when it ends.
sample_folded -F 999 -- "$WORKLOADS/jit" plain 0.5
expect_share ';main;run_made;made_loop ' 70 100

# No map: the frame is unknown, and the summary says why.
burn jit silent 10
sample_folded -F 999 -U -p "$started" 0.3
expect_absent 'made_loop'
expect_share ';main;run_made;\[unknown\] ' 90 100
expect_err '[0-9]+ JIT code without a perf map'

unshare --pid --mount --fork --mount-proc true 2>/dev/null || skip "no pid and mount namespace can be made here"
# Its /tmp is its own, and so is its number there, which others have outside.
mkdir "$tmp/tmp"
start unshare --pid --mount --fork --mount-proc --propagation private bash -c \
  'mount --bind "$0" /tmp && "$1" plain 10; exit' "$tmp/tmp" "$WORKLOADS/jit"
has_map() { compgen -G "$tmp/tmp/perf-*.map" >/dev/null; }
wait_until has_map
inner=$(basename "$tmp"/tmp/perf-*.map .map)
[[ ! -e /tmp/$inner.map ]] || fail "the map is in the outer /tmp"
child=$(pgrep -f "^$WORKLOADS/jit plain 10$" | tail -n 1)
background+=("$child")
[[ perf-$child != "$inner" ]] || fail "the pid is the same inside and outside: $child"
sample_folded -F 999 -U -p "$child" 0.5
expect_share ';main;run_made;made_loop ' 90 100
