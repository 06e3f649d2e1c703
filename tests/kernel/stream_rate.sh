#!/bin/bash
# At 10,000 samples a second on two CPUs a stream loses nothing, and its memory stays what it was after 30,000, also
# when nearly every sample has a stack of its own.
source "$(dirname "$0")/stream.bash"
need_timeliness
((SANITIZED == 0)) || skip "a matter of speed"
(($(nproc) >= 2)) || skip "there is only one CPU"

# stolen_ticks : of the first two CPUs' time, what the machine below gave to others; nothing is sampled in it.
stolen_ticks() { awk '/^cpu[01] / { sum += $9 } END { print sum + 0 }' /proc/stat; }

highest_kb() { awk '/^VmHWM:/ { print $2 }' "/proc/$profiler/status"; }
# wait_for_samples COUNT : until so many were written, or the programs end.
wait_for_samples() {
  local left
  for ((left = 80; left > 0; left--)); do
    if (($(grep -acE '^(\{|\[[0-9]+\.)' "$tmp/out") >= $1)); then return; fi
    sleep 0.3
  done
}
no_time=
for form in json stacks; do
  # What is kept of stacks is the same for all forms.
  if [[ $form == json ]]; then few=30000 many=60000; else few=5000 many=15000; fi
  # They alone, for the memory: what is known of others' processes and files is kept, too.
  burn pinned 1 600
  others=$started
  start taskset -c 0 "$WORKLOADS/many_stacks" 600
  stolen=$(stolen_ticks)
  begin --stream=$form -F 5000 -C 0,1 -p "$others,$started"
  # What is kept of stacks has been dropped at least once by now.
  wait_for_samples $few
  early_kb=$(highest_kb)
  wait_for_samples $many
  late_kb=$(highest_kb)
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  stolen=$(($(stolen_ticks) - stolen))
  read_stream $form "$tmp/out" 'main;(burn_pinned|descend)'
  expect_equal "$delivered" "$recorded" "samples of --stream=$form"
  expect_between "$(awk -v taken="$taken" -v ns=$((last_ns - first_ns)) -v stolen_s="$stolen" -v hz="$(getconf CLK_TCK)" \
    'BEGIN { print (taken + 5000 * stolen_s / hz) / ns * 1e9 }')" 9000 10500 "samples taken a second"
  if ((recorded >= 60000)); then
    expect_between $((late_kb - early_kb)) 0 4096 "KB of memory more after 60,000 samples than after 30,000"
  elif [[ $form == json ]]; then
    # Only because others had the CPUs.
    ((filtered > recorded)) || fail "only $recorded samples in most of a minute; $(outcome)"
    no_time=1
  fi
  kill "$others" "$started"
  echo "--stream=$form: $delivered samples, $early_kb KB after half of them, $late_kb KB at the end"
done
if [[ $no_time ]]; then skip "only how the memory grows: others have the CPUs, and 60,000 samples are too many for a minute"; fi
