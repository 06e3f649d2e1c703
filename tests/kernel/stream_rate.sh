#!/bin/bash
# At 10,000 samples per second on two CPUs a stream loses nothing. After 30,000 samples its memory no longer grows, even
# when nearly every sample has a new stack.
source "$(dirname "$0")/stream.bash"
need_timeliness
((SANITIZED == 0)) || skip "a matter of speed"
(($(nproc) >= 2)) || skip "there is only one CPU"

# stolen_ticks : prints how much time the host took from the first two CPUs. No samples come in that time.
stolen_ticks() { awk '/^cpu[01] / { sum += $9 } END { print sum + 0 }' /proc/stat; }

highest_kb() { awk '/^VmHWM:/ { print $2 }' "/proc/$profiler/status"; }
# wait_for_samples COUNT : waits until so many are written, or for about half a minute.
wait_for_samples() {
  local left
  for ((left = 80; left > 0; left--)); do
    if (($(grep -acE '^(\{|\[[0-9]+\.)' "$tmp/out") >= $1)); then return; fi
    sleep 0.3
  done
}
no_time=
for form in json stacks; do
  # All forms keep stacks in the same way.
  if [[ $form == json ]]; then few=30000 many=60000; else few=5000 many=15000; fi
  # Samples only these two programs, because names of other processes and files also take memory.
  burn pinned 1 600
  others=$started
  start taskset -c 0 "$WORKLOADS/many_stacks" 600
  stolen=$(stolen_ticks)
  begin --stream=$form -F 5000 -C 0,1 -p "$others,$started"
  # By now the profiler has dropped its stored stacks at least once.
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
    # This is allowed only when other programs had the CPUs.
    ((filtered > recorded)) || fail "only $recorded samples in most of a minute; $(outcome)"
    no_time=1
  fi
  kill "$others" "$started"
  echo "--stream=$form: $delivered samples, $early_kb KB after half of them, $late_kb KB at the end"
done
if [[ $no_time ]]; then skip "only how the memory grows: others have the CPUs, and 60,000 samples are too many for a minute"; fi
