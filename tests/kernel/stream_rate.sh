#!/bin/bash
# At 10,000 samples a second on two CPUs a stream loses nothing, and its memory stays what it was after 30,000, also
# when nearly every sample has a stack of its own.
source "$(dirname "$0")/stream.bash"
((SANITIZED == 0)) || skip "a matter of speed"
(($(nproc) >= 2)) || skip "there is only one CPU"

highest_kb() { awk '/^VmHWM:/ { print $2 }' "/proc/$profiler/status"; }
# wait_for_samples COUNT : until so many were written.
wait_for_samples() {
  local left
  for ((left = 300; left > 0; left--)); do
    if (($(grep -acE '^(\{|\[[0-9]+\.)' "$tmp/out") >= $1)); then return; fi
    sleep 0.1
  done
  fail "still no $1 samples after thirty seconds; $(outcome)"
}
for form in json stacks; do
  # They alone, for the memory: what is known of others' processes and files is kept, too.
  burn pinned 1 50
  others=$started
  start taskset -c 0 "$WORKLOADS/many_stacks" 50
  begin --stream=$form -F 5000 -p "$others,$started"
  # What is kept of stacks has been dropped at least once by now.
  wait_for_samples 30000
  early_kb=$(highest_kb)
  wait_for_samples 60000
  late_kb=$(highest_kb)
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  read_stream $form "$tmp/out" 'main;(burn_pinned|descend)'
  expect_equal "$delivered" "$recorded" "samples of --stream=$form"
  expect_between "$(awk -v taken="$taken" -v ns=$((last_ns - first_ns)) 'BEGIN { print taken / ns * 1e9 }')" 9000 10100 \
    "samples taken a second"
  expect_between $((late_kb - early_kb)) 0 2048 "KB of memory more after 60,000 samples than after 30,000"
  kill "$others" "$started"
  echo "--stream=$form: $delivered samples, $early_kb KB after half of them, $late_kb KB at the end"
done
