#!/bin/bash
# With --live the live page gets the state each second. The report has the last state, not the sum of all.
source "$(dirname "$0")/live.bash"
need_event malloc

begin_live -e malloc --live -o "$tmp/state.folded" -- "$WORKLOADS/allocs" 5 600
is_done() { grep -q '^done$' "$tmp/out"; }
wait_until is_done
ticks() {
  ask /metrics
  metric profile_live_ticks_total
}
before=$(ticks)
has_ticked() { (($(ticks) >= before + 3)); }
wait_until has_ticked
kill -INT "$profiler"
finish
expect_balance
expect_equal "$(folded_total ';by_malloc;malloc ' "$tmp/state.folded")" $((5 * 10 * 1000)) "bytes by malloc"
expect_equal "$(folded_total ';by_realloc;[_a-z]*realloc ' "$tmp/state.folded")" $((5 * 40 * 400)) "bytes by realloc"
