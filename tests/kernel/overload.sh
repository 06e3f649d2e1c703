#!/bin/bash
# When samples come faster than they can be read, the run still ends, and at the first Ctrl-C.
source "$(dirname "$0")/sampling.bash"
if [[ ${measured:-} ]]; then need_timeliness; fi

for ((cpu = $(nproc) + 1; cpu > 0; cpu--)); do burn leaves 600; done
find_precedence
# overload_measured.sh sets `measured`; only then are seconds checked.
measured=${measured:-}

# seconds_of_run : prints the duration from the summary. It ends with the last sample, not with the last read.
seconds_of_run() { sed -nE 's/^[0-9]+ samples in ([0-9.]+) s .*/\1/p' "$tmp/err"; }
expect_short() {
  [[ $measured ]] || return 0
  awk -v seconds="$(seconds_of_run)" 'BEGIN { exit !(seconds > 0 && seconds <= 2.5) }' || fail "the run took too long: $(outcome)"
}

# Raises the rate until it is too fast for this machine. Where a sample takes long, a higher rate would leave no CPU
# time to other programs.
most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
is_too_fast() { awk '/ of the [0-9]+ asked for/ { sub(/ % of the .*/, ""); exit !($NF < 90) }' "$tmp/err"; }
for rate in 10000 20000 40000 70000; do
  ((rate <= most)) || rate=$most
  run "${precedence[@]}" "$PROFILE" -F "$rate" -o "$tmp/a.folded" 0.5
  expect_status 0
  expect_balance_with_losses
  expect_short
  expect_folded_total "$tmp/a.folded"
  if ((rate == most)) || { [[ ! $measured ]] && is_too_fast; }; then break; fi
done

# A run that never ends is killed by ctest.
ahead=("${precedence[@]}")
begin -F "$rate" -o - -o "$tmp/b.folded"
wait_until has_begun
if [[ $measured ]]; then sleep 1; else let_work "$started" 20; fi
interrupted_us=${EPOCHREALTIME/./}
kill -INT "$profiler"
finish
took_us=$((${EPOCHREALTIME/./} - interrupted_us))
expect_status 0
expect_balance_with_losses
# With the naming and the writing. How long the run itself took depends on when this script got the CPU.
if [[ $measured ]]; then expect_between "$took_us" 0 2500000 "us from Ctrl-C to the end"; fi
expect_folded_total "$tmp/b.folded"
