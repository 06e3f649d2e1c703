#!/usr/bin/env bash
# With --live the report shows exactly the bytes that are allocated and not freed. A process's allocations vanish when
# it ends or calls exec.
source "$(dirname "$0")/sampling.bash"
need_event malloc

expect_bytes() { expect_equal "$(folded_total "$1" "${3:-$tmp/out}")" "$2" "bytes by '$1'"; }
# expect_leaks TIMES [FILE] : the allocations that allocs.c keeps.
expect_leaks() {
  expect_bytes ';by_malloc;malloc ' $(($1 * 10 * 1000)) "${2:-$tmp/out}"
  expect_bytes ';by_realloc;[_a-z]*realloc ' $(($1 * 40 * 400)) "${2:-$tmp/out}"
  expect_bytes ';by_memalign;posix_memalign ' $(($1 * 30 * 512)) "${2:-$tmp/out}"
  expect_bytes 'strdup;malloc ' $(($1 * 20 * 100)) "${2:-$tmp/out}"
  expect_bytes ';by_calloc;' 0 "${2:-$tmp/out}"
}

# A command: what it and its children had not freed when they ended.
profile -e malloc --live -f -- "$WORKLOADS/allocs" 5
expect_status 0
expect_balance
expect_leaks 5
expect_bytes ';by_child;malloc ' $((5 * 70 * 10000))
expect_equal "$(folded_total ';by_(malloc|realloc|memalign|child);')" $((5 * (10000 + 16000 + 15360 + 700000))) "bytes"

# One call instruction calls all functions through pointers. There are more allocations than the kernel handles at a
# time.
profile -e malloc --live -f -- "$WORKLOADS/turns" 3000 2000
expect_status 0
expect_balance
expect_bytes ';by_turns;[_a-z]*calloc ' 1600000
expect_bytes ';by_turns;[_a-z]*malloc ' 3600000
expect_bytes ';by_turns;[_a-z]*realloc ' 1800000
expect_bytes ';by_turns;(__libc_memalign|memalign|aligned_alloc) ' 3600000
expect_bytes ';by_place;posix_memalign ' 1600000
expect_bytes ';by_place;[_a-z]*malloc ' 1600000

# The shell's allocations vanish when it becomes another program.
profile -e malloc --live -f -- sh -c "exec '$WORKLOADS/allocs' 2"
expect_status 0
expect_balance
expect_leaks 2
expect_absent '^sh;'

# Other processes: one stays, and the others end with all their allocations. Every report shows the state at its time.
# The cgroup has only these, so no other process can fill the ring.
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
# True when the process is blocked in pause().
is_paused() { grep -q pause "/proc/$1/wchan"; }
wait_until is_paused "$stays"
before=$(reports)
# One report may be half written, the next may describe an older time, and the last is shorter than an interval.
wait_until has_reports $((before + 5))
kill -INT "$profiler"
wait "$profiler"
status=$?
unset 'background[0]'
expect_status 0
expect_balance
# Each later report has all allocations of that process, and of no other.
for ((number = before + 2; number <= before + 4; number++)); do
  report=$(printf '%s/live-%03d.folded' "$tmp" "$number")
  expect_leaks 3 "$report"
  expect_bytes ';by_child;' 0 "$report"
  expect_bytes ';by_(turns|place);' 0 "$report"
done

profile -e malloc --live --stream=table 1
expect_status 2
expect_err '--live'
