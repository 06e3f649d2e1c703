#!/bin/bash
# Processes that end before the tables of their files exist: nearly all of their user stacks are completed.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "user stacks are not walked by tables here"

root='(_start;)?(__libc_start_main[^;]*;)?(__libc_start_call_main;)?main'
# Each is a new file. At exec it has no stack yet. The profiler gets precedence, because other programs may delay the
# tables for longer than the processes live; under the sanitizers a table takes longer than the end of a run waits.
find_precedence
# shellcheck disable=SC2016
run "${precedence[@]}" "$PROFILE" -U -f -a -F 3999 -- bash -c 'for i in {1..40}; do cp "$1" "$2.$i" && "$2.$i" plain 0.003; done' new "$WORKLOADS/frameless" "$tmp/brand_new"
expect_status 0
expect_balance
grep -a '^brand_new' "$tmp/out" | grep -avE '^[^;]*( |;\[incomplete: not mapped\]|;\[exec\])' >"$tmp/walked"
expect_share "^[^;]*;(.*;)?_start[; ]" $((95 - 65 * SANITIZED)) 100 "$tmp/walked"
expect_present "^[^;]*;$root;first;second;third;spin " "$tmp/walked"
