#!/bin/bash
# Threads that take the CPU from each other: no call of theirs is lost. Where a thread takes the CPU from a process that
# is just using a BPF map, the kernel runs no program; that is rare, and the calls are counted.
source "$(dirname "$0")/syscalls.bash"
need_event futex

# expect_calls FOUND MADE WHAT [OTHERS] : so many others may be among those that were found
expect_calls() {
  local unseen
  unseen=$(sed -nE 's/^([0-9]+) events? (was|were) not seen: .*/\1/p' "$tmp/err")
  ((${unseen:-0} * 100 <= asked)) || fail "$unseen events were not seen, of $asked"
  expect_between "$1" $(($2 - ${unseen:-0})) $(($2 + ${4:-0})) "$3"
}
# of_rivals ARGUMENT... : samples them, and sets $asked and $waited to what they say that they did.
of_rivals() {
  sample "$@" -- "$WORKLOADS/rivals" 1
  asked=$(sed -nE 's/^ask ([0-9]+)$/\1/p' "$tmp/out")
  waited=$(sed -nE 's/^wait_once ([0-9]+)$/\1/p' "$tmp/out")
}

of_rivals -e syscalls -o "$tmp/run.folded"
expect_calls "$(folded_total ';work;ask;getppid ' "$tmp/run.folded")" "$asked" "calls of getppid in ask"
expect_calls "$(folded_total ';getppid ' "$tmp/run.folded")" "$asked" "calls of getppid"

of_rivals -e syscalls --latency --failed -o "$tmp/run.json"
mv "$tmp/run.json" "$tmp/out"
expect_calls "$(count_of getppid)" "$asked" "calls of getppid"
expect_calls "$(figure 'latency["count"]' "name == 'getppid'")" "$asked" "calls of getppid that returned"
# Each of the four calls of pthread_join waits for a thread, which may just have ended.
expect_calls "$(figure failed "name == 'futex'")" "$waited" "waits that ended without being woken" 4

of_rivals -e futex --format counted
# The waits of pthread_join have other addresses.
expect_calls "$(awk '/ 0x[0-9a-f]+ / && $1 + 0 > most { most = $1 + 0 } END { print most }' "$tmp/out")" "$waited" "waits for the futex"

of_rivals -e uprobe:"$WORKLOADS/rivals:ask" -U -o "$tmp/run.folded"
expect_calls "$(folded_total ';work;ask ' "$tmp/run.folded")" "$asked" "hits of ask"
expect_no_err 'other walks were under way'
