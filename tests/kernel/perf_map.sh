#!/bin/bash
# Generated code gets names from its perf map, with and without 0x in the map. In a pid namespace the map has the pid
# that the program sees.
source "$(dirname "$0")/sampling.bash"
need_command unshare pgrep
unshare --pid --mount --fork --mount-proc true 2>/dev/null || skip "no pid and mount namespace can be made here"

for kind in plain prefixed; do
  burn jit "$kind" 600
  at_exit "rm -f /tmp/perf-$started.map"
  wait_until test -s "/tmp/perf-$started.map"
  wait_until is_at_work "$started"
  sample_enough 100 -F 999 -U -p "$started" 0.5
  expect_share ';main;run_made;made_loop ' 90 100
  expect_absent '\[unknown\]'
  expect_no_err 'JIT code'
  kill "$started"
done

# The map appears during the run, and the program ends before the run does.
sample_folded -F 999 -- bash -c 'echo $$ >"$1" && exec "$0" plain 1cpu' "$WORKLOADS/jit" "$tmp/pid"
at_exit "rm -f /tmp/perf-$(cat "$tmp/pid").map"
# of_jit : checks the program's own samples, which are mostly its work.
of_jit() {
  grep '^jit;' "$tmp/out" >"$tmp/jit.folded"
  expect_share ';main;run_made;made_loop ' 50 100 "$tmp/jit.folded"
}
of_jit

# The container and its /tmp are gone when the report is made.
if [[ $WORKLOADS != /tmp/* ]]; then
  sample_folded -F 999 -- unshare --pid --mount --fork --mount-proc bash -c 'mount -t tmpfs none /tmp && "$0" plain 1cpu; exit' \
    "$WORKLOADS/jit"
  of_jit
fi

# Without a map the frame is unknown, and the summary says why.
burn jit silent 600
wait_until is_at_work "$started"
sample_enough 100 -F 999 -U -p "$started" 0.3
expect_absent 'made_loop'
expect_share ';main;run_made;\[unknown\] ' 90 100
expect_err '[0-9]+ JIT code without a perf map'

# The program has its own /tmp, and its pid in there differs from its pid outside.
mkdir "$tmp/tmp"
cp "$WORKLOADS/jit" "$tmp/tmp/jit"
start unshare --pid --mount --kill-child --mount-proc bash -c 'mount --bind "$0" /tmp && /tmp/jit plain 600; exit' "$tmp/tmp"
has_map() { compgen -G "$tmp/tmp/perf-*.map" >/dev/null; }
wait_until has_map
inner=$(basename "$tmp"/tmp/perf-*.map .map)
child=$(pgrep -P "$(pgrep -P "$started")") || fail "there is no program in the namespace"
wait_until is_at_work "$child"
[[ perf-$child != "$inner" ]] || fail "the pid is the same inside and outside: $child"
sample_enough 100 -F 999 -U -p "$child" 0.5
expect_share ';main;run_made;made_loop ' 90 100
