#!/usr/bin/env bash
# Bytes that are requested from the C library are counted exactly, by caller. Calls that the library makes to itself are
# not counted again.
source "$(dirname "$0")/sampling.bash"
need_event malloc

# expect_bytes PATTERN BYTES : checks the sum in the folded lines.
expect_bytes() { expect_equal "$(folded_total "$1")" "$2" "bytes by '$1'"; }

profile -e malloc -f -- "$WORKLOADS/allocs" 3
expect_status 0
expect_balance
expect_bytes ';by_malloc;malloc ' $((3 * 100 * 1000))
expect_bytes ';by_calloc;[_a-z]*calloc ' $((3 * 50 * 20 * 30))
expect_bytes ';by_realloc;' $((3 * 40 * (64 + 256 + 200000 + 400)))
expect_bytes ';by_realloc;[_a-z]*realloc ' $((3 * 40 * (64 + 256 + 200000 + 400)))
expect_bytes ';by_memalign;posix_memalign ' $((3 * 30 * 512))
expect_bytes ';by_memalign;(__libc_memalign|memalign|aligned_alloc) ' $((3 * 30 * 1024))
expect_bytes ';by_child;malloc ' $((3 * 70 * 10000))
expect_bytes 'strdup;malloc ' $((3 * 20 * 100))
calls=$((3 * (100 + 50 + 40 * 4 + 30 * 2 + 70 + 20)))
expect_equal "$recorded" $calls "calls"

# One call instruction calls different functions in turn, with the calls between them that could confuse the count.
profile -e malloc -f -- "$WORKLOADS/turns" 1000
expect_status 0
expect_balance
expect_equal "$recorded" 16000 "calls through pointers"
expect_bytes ';by_turns;[_a-z]*calloc ' 800000
expect_bytes ';by_turns;[_a-z]*malloc ' 1800000
expect_bytes ';by_turns;[_a-z]*realloc ' 900000
expect_bytes ';by_turns;(__libc_memalign|memalign|aligned_alloc) ' 1800000
expect_bytes ';by_place;posix_memalign ' 800000
expect_bytes ';by_place;[_a-z]*malloc ' 800000

# Beside another profiler that traces the returns of the same functions, and so has replaced their return addresses.
"$PROFILE" -e malloc --live >"$tmp/beside" 2>&1 </dev/null &
beside=$!
background+=("$beside")
waits_for_returns() { grep -q '^Tracing ' "$tmp/beside" || ! kill -0 "$beside" 2>/dev/null; }
wait_until waits_for_returns
profile -e malloc -f -- "$WORKLOADS/allocs" 3
kill -INT "$beside"
wait "$beside" || fail "beside: $(tail -n 5 "$tmp/beside")"
unset 'background[-1]'
expect_status 0
expect_balance
expect_equal "$recorded" $calls "calls beside probes of returns"
expect_bytes ';by_realloc;' $((3 * 40 * (64 + 256 + 200000 + 400)))
expect_bytes ';by_memalign;(__libc_memalign|memalign|aligned_alloc) ' $((3 * 30 * 1024))
expect_no_err 'in no mapping'

# A system without the dynamic linker's cache of libraries, as in a container.
if [[ -e /etc/ld.so.cache ]] && unshare --mount true 2>/dev/null; then
  # shellcheck disable=SC2016
  run unshare --mount bash -c 'mount --bind /dev/null /etc/ld.so.cache && "$@"' - "$PROFILE" -e malloc -f -- "$WORKLOADS/allocs" 3
  expect_status 0
  expect_bytes ';by_malloc;malloc ' $((3 * 100 * 1000))
fi

# The output names the unit, and the counted rows have the same sum.
profile -e malloc -- "$WORKLOADS/allocs" 3
expect_status 0
expect_balance
expect_out '^Tracing bytes allocated of '
expect_equal "$recorded" $calls "calls"

# A process that already runs is found by its mappings. This one has no C library that could be probed.
burn hits.static 1 600
is_loaded() { [[ $(readlink "/proc/$started/exe") == */hits.static ]]; }
wait_until is_loaded
profile -e malloc -p "$started" 0.5
expect_status 1
expect_err "no C library .* uprobe:$WORKLOADS/hits.static:malloc"
expect_silence out

# For a statically linked program the message names the event to use instead.
profile -e malloc -f -- "$WORKLOADS/allocs.static" 3
expect_status 0
expect_silence out
event=$(grep -oE 'uprobe:[^ ]+' "$tmp/err")
profile -e "$event" -f -- "$WORKLOADS/allocs.static" 3
expect_status 0
expect_balance
expect_equal "$(folded_total ';by_malloc;malloc ')" 300 "calls of a malloc linked statically"

for option in '-F 99' '-c 10'; do
  # shellcheck disable=SC2086
  profile -e malloc $option 1
  expect_status 2
done

# The profiler's own allocations are not counted, because each sample would cause more of them. The cgroup has only one
# other program, so no other process can fill the ring.
need_group
in_group "$WORKLOADS/turns" 1000000000 >/dev/null &
background+=("$!")
profile_in_group() { (in_group "$PROFILE" "$@"); }
for seconds in 0.5 5 50; do
  run profile_in_group -e malloc --cgroup "$group" -f $seconds
  expect_status 0
  expect_balance
  if ((recorded > 0)); then break; fi
done
expect_present '^turns;'
expect_absent '^profile;'
