#!/bin/bash
# In a pid namespace, as in a container, ids are the ones seen there: -p takes them and reports print them. A process
# outside has no id there, so it is never mistaken for one inside.
source "$(dirname "$0")/sampling.bash"
need_command unshare
unshare --pid --fork --mount-proc true 2>/dev/null || skip "no pid namespace can be made here"

burn leaves.static 600
outside=$started
# inside SCRIPT : runs it in a namespace where a burner has a small pid; its pid there is $inner.
inside() {
  run env PROFILE="$PROFILE" WORKLOADS="$WORKLOADS" tmp="$tmp" seconds="$seconds" unshare --pid --kill-child --mount-proc bash -c '
    "$WORKLOADS/leaves" 600 &
    inner=$!
    echo "$inner" >"$tmp/inner"
    until awk "\$2 == \"(leaves)\" && \$14 >= 2 { found = 1 } END { exit !found }" /proc/$inner/stat; do sleep 0.02; done
    '"$1"'
    status=$?
    kill "$inner"
    exit $status'
  inner=$(cat "$tmp/inner")
}

# Repeats for longer times on a busy machine.
for seconds in 0.6 6 60; do
  inside '"$PROFILE" -f -F 499 -p "$inner" $seconds'
  expect_status 0
  expect_balance
  expect_folded_total
  if are_many; then break; fi
done
expect_share '^leaves;.*main;outer;middle;(heavy|light)' 90 100
expect_absent '^leaves.static;'

for seconds in 0.6 6 60; do
  inside '"$PROFILE" -F 499 $seconds'
  expect_status 0
  expect_balance
  expect_equal "$(counted_total)" "$recorded" "total of the counted rows"
  sought=("^    -                leaves \($inner\)$" '^    -                leaves.static$')
  if is_seen; then break; fi
done
for pattern in "${sought[@]}"; do expect_out "$pattern"; done
expect_no_out "^    -                leaves.static \("

for seconds in 0.4 4 40; do
  inside 'tid=$(basename /proc/"$inner"/task/*); "$PROFILE" -f -F 499 -L "$tid" $seconds'
  expect_status 0
  if [[ -s $tmp/out ]]; then break; fi
done
expect_share '^leaves;' 100 100
# An outer id means nothing inside, unless a process inside has the same id.
((outside < 50)) || inside '"$PROFILE" -p '"$outside"' 1' || true
if ((outside >= 50)); then
  expect_status 1
  expect_err "^profile: -p $outside: no such process"
fi

inside '"$PROFILE" -f -F 499 -- "$WORKLOADS/family" 0.5cpu'
expect_status 0
expect_balance
expect_folded_total
expect_present '^family;.*burn_grandchild'
expect_present '^stranger;.*burn_stranger'
expect_absent '^leaves'

# Outside, the ids are the outer ones, whatever the process itself sees.
start unshare --pid --kill-child --mount-proc "$WORKLOADS/leaves.nopie" 600
has_child() { pgrep -P "$started" leaves >/dev/null; }
need_command pgrep
wait_until has_child
child=$(pgrep -P "$started" leaves)
wait_until is_at_work "$child"
sought=("^    -                leaves.nopie \($child\)$")
sample_until is_seen -F 499 -p "$child" 0.4
