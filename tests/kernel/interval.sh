#!/bin/bash
# With -i each interval's samples are reported once, at its end. The last interval may be shorter.
source "$(dirname "$0")/sampling.bash"

# The workload counts its own CPU time, so it is sampled before and after the exec.
sample -F 499 -i 0.4 -o - -o "$tmp/a.folded" -- "$WORKLOADS/changer" 1.4cpu
expect_folded_total "$tmp/a.folded"
expect_equal "$(counted_total)" "$recorded" "total of the counted rows"
expect_equal "$(grep -c '^Sampling at ' "$tmp/out")" 1 "headers"
expect_present before_exec "$tmp/a.folded"
expect_present after_exec "$tmp/a.folded"

# Reports arrive while the run continues.
burn leaves 600
begin -f -F 499 -i 0.3 -p "$started"
reports_arrive() { (($(grep -c ';heavy ' "$tmp/out") >= 3)); }
wait_until reports_arrive
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total
