#!/bin/bash
# An event that is not available gives an error that says what to do instead. --list-events also says that it is
# missing.
source "$(dirname "$0")/sampling.bash"

# refused STATUS PATTERN EVENT [ARGUMENT...] : nothing is sampled, and the last line on stderr matches the pattern.
refused() {
  profile -e "$3" "${@:4}" 1
  expect_status "$1"
  expect_silence out
  tail -n 1 "$tmp/err" | grep -Eq -- "^profile: $2" || fail "the last line on stderr should match '$2'; $(outcome)"
}
refused 2 '-e cpu-clok: no such event; the nearest: cpu-clock; --list-events' cpu-clok
refused 2 '-e cpu-clok:u: no such event; the nearest: cpu-clock:u; --list-events' cpu-clok:u
refused 2 '-e cachemisses: no such event; the nearest: cache-misses; ' cachemisses
refused 2 '-e LLC-load-miss: no such event; the nearest: LLC-load-misses; ' LLC-load-miss
refused 2 '-e switches: no such event; the nearest: cgroup-switches, context-switches; ' switches
refused 1 '-F 100000000: the kernel allows at most .*perf_event_max_sample_rate' page-faults -F 100000000

profile --list-events
expect_status 0
expect_silence err
for name in cpu-clock page-faults context-switches cycles L1-dcache rNNNN SYSTEM:EVENT; do expect_out "\\b$name\\b"; done
for name in cpu-clock page-faults context-switches SYSTEM:EVENT; do
  if grep -A 1 -E "^ +$name\\b" "$tmp/out" | tail -n 1 | grep -q 'not here'; then fail "$name is not here; $(outcome)"; fi
done

# A machine without hardware counters. The event names are those of all kernels for this architecture.
for device in /sys/bus/event_source/devices/{cpu,cpu_core,armv*}; do
  [[ ! -e $device ]] || skip "this machine has hardware counters"
done
expect_equal "$(grep -c 'no hardware counters' "$tmp/out")" 1 "times that the one reason of all hardware events stands there"
grep -A 1 '^Hardware events:' "$tmp/out" | grep -q 'none of them here: .*no hardware counters' || fail "they are here; $(outcome)"
refused 1 '-e cycles: .*no hardware counters.*; use -e cpu-clock$' cycles
refused 1 '-e cycles:u: .*no hardware counters.*; use -e cpu-clock$' cycles:u -c 100000
refused 1 '-e cache-misses: .*no hardware counters.*; use -e page-faults$' cache-misses
refused 1 '-e dTLB-load-misses: .*no hardware counters.*; use -e page-faults$' dTLB-load-misses
refused 1 '-e r01c2: .*no hardware counters.*; use -e cpu-clock$' r01c2
