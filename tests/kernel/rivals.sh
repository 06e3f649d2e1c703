#!/bin/bash
# Threads that take the CPU from each other: no call of theirs is lost, and all have their whole stacks.
source "$(dirname "$0")/syscalls.bash"
need_event futex

# of_rivals ARGUMENT... : samples them, and sets $asked and $waited to what they say that they did.
of_rivals() {
  sample "$@" -- "$WORKLOADS/rivals" 1
  expect_no_err 'events? (was|were) not seen'
  asked=$(sed -nE 's/^ask ([0-9]+)$/\1/p' "$tmp/out")
  waited=$(sed -nE 's/^wait_once ([0-9]+)$/\1/p' "$tmp/out")
}

of_rivals -e syscalls -o "$tmp/run.folded"
expect_equal "$(folded_total ';work;ask;getppid ' "$tmp/run.folded")" "$asked" "calls of getppid in ask"
expect_equal "$(folded_total ';getppid ' "$tmp/run.folded")" "$asked" "calls of getppid"

of_rivals -e syscalls --latency --failed -o "$tmp/run.json"
mv "$tmp/run.json" "$tmp/out"
expect_count getppid "$asked"
expect_equal "$(figure 'latency["count"]' "name == 'getppid'")" "$asked" "calls of getppid that returned"
expect_equal "$(figure failed "name == 'futex'")" "$waited" "waits that ended without being woken"

of_rivals -e futex --format counted
# The waits of pthread_join have other addresses.
expect_equal "$(awk '$NF ~ /^0x/ && $1 + 0 > most { most = $1 + 0 } END { print most }' "$tmp/out")" "$waited" "waits for the futex"

of_rivals -e uprobe:"$WORKLOADS/rivals:ask" -U -o "$tmp/run.folded"
expect_equal "$(folded_total ';work;ask ' "$tmp/run.folded")" "$asked" "hits of ask"
expect_no_err 'other walks were under way'
