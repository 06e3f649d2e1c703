#!/usr/bin/env bash
# With --live what stands in the report is what has been asked for and not given back, to the byte; what a process had
# goes with it, and with an exec.
source "$(dirname "$0")/sampling.bash"
need_event malloc

expect_bytes() { expect_equal "$(folded_total "$1" "${3:-$tmp/out}")" "$2" "bytes by '$1'"; }
# expect_leaks TIMES [FILE] : what allocs.c keeps.
expect_leaks() {
  expect_bytes ';by_malloc;malloc ' $(($1 * 10 * 1000)) "${2:-$tmp/out}"
  expect_bytes ';by_realloc;[_a-z]*realloc ' $(($1 * 40 * 400)) "${2:-$tmp/out}"
  expect_bytes ';by_memalign;posix_memalign ' $(($1 * 30 * 512)) "${2:-$tmp/out}"
  expect_bytes 'strdup;malloc ' $(($1 * 20 * 100)) "${2:-$tmp/out}"
  expect_bytes ';by_calloc;' 0 "${2:-$tmp/out}"
}

# Of a command: what it and its children had not given back as they ended.
profile -e malloc --live -f -- "$WORKLOADS/allocs" 5
expect_status 0
expect_balance
expect_leaks 5
expect_bytes ';by_child;malloc ' $((5 * 70 * 10000))
expect_equal "$(folded_total ';by_(malloc|realloc|memalign|child);')" $((5 * (10000 + 16000 + 15360 + 700000))) "bytes"

# From one place that calls them all through pointers; more pieces than the kernel counts at a time.
profile -e malloc --live -f -- "$WORKLOADS/turns" 3000 2000
expect_status 0
expect_balance
expect_bytes ';by_turns;[_a-z]*calloc ' 1600000
expect_bytes ';by_turns;[_a-z]*malloc ' 3600000
expect_bytes ';by_turns;[_a-z]*realloc ' 1800000
expect_bytes ';by_turns;(__libc_memalign|memalign|aligned_alloc) ' 3600000
expect_bytes ';by_place;posix_memalign ' 1600000
expect_bytes ';by_place;[_a-z]*malloc ' 1600000

# What a shell has is gone when it becomes another program.
profile -e malloc --live -f -- sh -c "exec '$WORKLOADS/allocs' 2"
expect_status 0
expect_balance
expect_leaks 2
expect_absent '^sh;'

# Others: one stays, and one ends with all it has. Every report says what there is then.
# Only our own, so that nothing else that runs here can fill the ring buffer.
need_group

begin -e malloc --live --cgroup "$group" -i 0.4 -o "$tmp/live-%03d.folded"
reports() { find "$tmp" -name 'live-*.folded' | wc -l; }
has_reports() { (($(reports) >= $1)); }
wait_until has_reports 1
in_group "$WORKLOADS/allocs" 7 &
wait $!
in_group "$WORKLOADS/turns" 2000 2000 &
wait $!
in_group "$WORKLOADS/allocs" 3 600 >/dev/null &
stays=$!
background+=("$stays")
# `pause`
is_paused() { grep -q pause "/proc/$1/wchan"; }
wait_until is_paused "$stays"
before=$(reports)
# One may be half made, what it tells of may be older, and the last is less than an interval's.
wait_until has_reports $((before + 5))
kill -INT "$profiler"
wait "$profiler"
status=$?
unset 'background[0]'
expect_status 0
expect_balance
# Each report since has all of it, and of no process but that one.
for ((number = before + 2; number <= before + 4; number++)); do
  report=$(printf '%s/live-%03d.folded' "$tmp" "$number")
  expect_leaks 3 "$report"
  expect_bytes ';by_child;' 0 "$report"
  expect_bytes ';by_(turns|place);' 0 "$report"
done

profile -e malloc --live --stream=table 1
expect_status 2
expect_err '--live'
