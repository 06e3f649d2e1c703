#!/bin/bash
# Sixty signals at random moments of a run, from its very begin until after its end: each time the status is right, and
# the reports are whole and equal, or there is none.
source "$(dirname "$0")/children.bash"

burn leaves 600/2
leaves=$started
burn jit plain 600/3
at_exit "rm -f /tmp/perf-$started.map"
seed=${INTERRUPTS_SEED:-$RANDOM}
RANDOM=$seed
echo "INTERRUPTS_SEED=$seed"
early=0 ended=0 aborted=0
files() { find "$tmp" -name 'a.*' | sort; }
# expect_whole WHAT : all reports are there and have all samples.
expect_whole() {
  expect_balance
  expect_folded_total "$tmp/a.folded"
  tail -c 20 "$tmp/a.html" | grep -q '</html>' || fail "$1: the page has no end"
  expect_equal "$("$PROFILE" report -q -f "$tmp/a.pb.gz" | awk '{ sum += $NF } END { print sum + 0 }')" "$recorded" "$1: samples of pprof"
}
for number in {1..60}; do
  rm -f "$tmp"/a.*
  signals=(INT TERM)
  signal=${signals[RANDOM % 2]}
  # A run takes half a second. A tenth of the signals come in its first 30 ms.
  after_ms=$((number % 10 == 0 ? RANDOM % 30 : RANDOM % 800))
  again=$((number % 3 == 0))
  what="$number: SIG$signal after $after_ms ms$( ((again)) && echo ', twice')"
  begin -F 499 -o "$tmp/a.folded" -o "$tmp/a.html" -o "$tmp/a.pb.gz" 0.5
  sleep "$(printf '0.%03d' "$after_ms")"
  keeper=$(child profile-keeper)
  kill -"$signal" "$profiler" 2>/dev/null
  if ((again)); then
    # Two in a quarter of a second are one.
    sleep 0.3
    kill -"$signal" "$profiler" 2>/dev/null
  fi
  finish
  if [[ $keeper ]]; then wait_until is_gone "$keeper"; fi
  number_of_signal=$(kill -l "$signal")
  if ((status == 0)); then
    ((++ended))
    expect_whole "$what"
  elif ((status == 128 + number_of_signal)) && [[ ! $keeper ]]; then
    # It was still being loaded: its first child was not there.
    ((++early))
    [[ ! $(files) && ! -s $tmp/err ]] || fail "$what: killed with $(files)"
  elif ((status == 128 + number_of_signal && again)); then
    ((++aborted))
  else
    fail "$what: $(outcome)"
  fi
done
echo "$ended reports, $aborted aborted, $early before the program began"
kill -0 "$leaves" || fail "the program that was sampled has ended"
((ended >= 30)) || fail "only $ended reports"
