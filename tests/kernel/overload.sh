#!/bin/bash
# When samples come faster than they can be read, the run ends even so, and at the first Ctrl-C.
source "$(dirname "$0")/sampling.bash"
if [[ ${measured:-} ]]; then need_timeliness; fi

for ((cpu = $(nproc) + 1; cpu > 0; cpu--)); do burn leaves 600; done
find_precedence
# Of seconds only in overload_measured.sh, which sets it.
measured=${measured:-}

# seconds_of_run : as the summary has them; what is read later was sampled then.
seconds_of_run() { sed -nE 's/^[0-9]+ samples in ([0-9.]+) s .*/\1/p' "$tmp/err"; }
expect_short() {
  [[ $measured ]] || return 0
  awk -v seconds="$(seconds_of_run)" 'BEGIN { exit !(seconds > 0 && seconds <= 2.5) }' || fail "the run took too long: $(outcome)"
}

# Up to what is too fast for this machine: where one sample takes long, more of them would leave nothing to anybody.
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

# What would go on for ever is ended by CTest.
ahead=("${precedence[@]}")
begin -F "$rate" -o - -o "$tmp/b.folded"
wait_until has_begun
if [[ $measured ]]; then sleep 1; else let_work "$started" 20; fi
kill -INT "$profiler"
finish
expect_status 0
expect_balance_with_losses
expect_short
expect_folded_total "$tmp/b.folded"
