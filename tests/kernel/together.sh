#!/bin/bash
# Profilers run side by side, and one profiles another: each report is complete, and each profiler hides only its own
# processes.
source "$(dirname "$0")/children.bash"

# Twenty profilers have a higher priority than the program they sample, so the program gets the same.
start nice -n -10 "$WORKLOADS/leaves" 1200
leaves=$started
wait_until is_at_work "$leaves"

# Twenty at the same time. Each has its own directory for the files of `run`.
one_of_many() {
  sample_enough 40 -F 199 -p "$leaves" $((slowness + SANITIZED))
  expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100
  expect_no_err 'given up|not answer|was ended'
}
for ((i = 0; i < 20; i++)); do aside one_of_many; done
join_asides
renice -n 0 -p "$leaves" >/dev/null

# The children of another profiler are seen like any process. A profiler's own children are not.
need_children() {
  begin -T -R 0 -f -F 49 -o "$tmp/other-%02d.folded" -i 0.2
  for name in "${children[@]}"; do wait_until has_child "$name"; done
}
need_children
other=$profiler
names=(profile profile-opener)
sought=('^profile;' '^profile-opener;') # the parser works only when there is something new
if has_event syscalls; then
  sample_until is_seen -f -e syscalls -p "$other,$(child profile-opener)" $((2 * slowness))
  expect_folded_total
  for seconds in 1 8 60; do
    profile -e syscalls -f $seconds
    expect_status 0
    expect_balance_with_losses # others may call as often as they like
    if is_seen; then break; fi
  done
  for name in "${names[@]}"; do expect_present "^$name;"; done
fi
if has_event off-cpu; then
  for seconds in "$slowness" 20 60; do
    profile -f -e off-cpu "$seconds"
    expect_status 0
    expect_balance_with_losses
    if is_seen; then break; fi
  done
  for name in "${names[@]}"; do expect_present "^$name;"; done
fi
kill -INT "$other"
profiler=$other
finish
expect_status 0
cat "$tmp"/other-*.folded >"$tmp/out"
expect_present '^leaves;(.*;)?main;outer;middle;heavy '

# perf, which has its own events of the same threads, profiles the profiler.
if command -v perf >/dev/null && perf record -q -F 99 -e cpu-clock -o "$tmp/perf.none" true 2>/dev/null; then
  for seconds in 1 8 60; do
    run perf record -q -g -F 999 -e cpu-clock -o "$tmp/perf.data" "$PROFILE" -f -F 499 -p "$leaves" $seconds
    expect_status 0
    expect_balance
    expect_folded_total
    if are_many; then break; fi
  done
  expect_share ';main;outer;middle;(heavy|light)( |;)' 90 100
  # The children use little CPU time, but perf can see them.
  perf script -i "$tmp/perf.data" --show-task-events 2>/dev/null | grep -o 'PERF_RECORD_COMM.*' >"$tmp/comms"
  for name in "${children[@]}"; do
    grep -q ": $name:" "$tmp/comms" || fail "perf has not seen $name: $(head -n 20 "$tmp/comms")"
  done
else
  echo "left out: no perf here"
fi
