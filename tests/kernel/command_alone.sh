#!/bin/bash
# What the profiler's child does before it becomes the command does not belong to the command, but the summary accounts
# for it.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu wall

for ((round = 0; round < 5; round++)); do
  sample_folded -F 9999 -- /bin/true
  expect_absent 'profile::'
done
sample -f -e off-cpu -o - -o "$tmp/a.json" -o "$tmp/a.pb.gz" -- sleep 0.3
expect_absent 'profile::|pipe_read'
expect_between "$(folded_total 'nanosleep')" 290000 "$(length_us "$tmp/a.pb.gz")" "microseconds of sleep"
# The list of threads has the same time as the stacks.
in_threads=$(python3 -c '
import json, sys
print(sum(thread["total_time_ns"] for thread in json.load(open(sys.argv[1]))["ebpf"]["offcpu"]["thread_stats"].values()) // 1000)' "$tmp/a.json")
expect_between "$in_threads" $(($(folded_total .) - 2)) $(($(folded_total .) + 2)) "microseconds of all threads"
profile -e wall --stream=folded -- sleep 0.2
expect_status 0
expect_balance
expect_absent 'profile::'
