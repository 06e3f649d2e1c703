#!/bin/bash
# -F is the number of samples per second on each CPU, 49 by default. -c is the number of nanoseconds per sample.
source "$(dirname "$0")/sampling.bash"
need_command python3

# expect_period US OPTION... : samples of CPU 0 come no faster than one per period, and some come exactly a period
# apart. The kernel skips late ticks, so their number depends on the load of the machine and its host.
expect_period() {
  period=$1
  sample_until has_period --stream=json -C 0 "${@:2}" 1
}
has_period() {
  python3 - "$tmp/out" "$period" <<'PYTHON'
import json, sys
period_ns = int(sys.argv[2]) * 1000
times = [json.loads(line)["time_unix_ns"] for line in open(sys.argv[1])]
gaps = [b - a for a, b in zip(times, times[1:])]
if sum(gaps) * 1.02 < (len(gaps) - 2) * period_ns:
    sys.exit("too many")
sys.exit(sum(abs(gap - period_ns) < period_ns / 20 for gap in gaps) < 10)
PYTHON
}

burn pinned 0 600
wait_until is_at_work "$started"
expect_period 1001 -F 999
expect_period 20408
expect_period 2000 -c 2000000
sought=('^    burn_pinned\+0x')
sample_until is_seen -F 999 -C 0 1
expect_out '^Sampling at 999 Hertz of all threads by user \+ kernel stack on CPU#0 for [0-9.]+ secs\.$'
sample -C 0 0.1
expect_out '^Sampling at 49 Hertz '
sample -c 2000000 -C 0 0.1
expect_out '^Sampling at every 2000000 events of all threads by user \+ kernel stack on CPU#0 for 0\.1 secs\.$'

# account_of FILE : prints how many samples a JSON report says were requested and taken.
account_of() {
  python3 -c 'import json, sys; account = json.load(open(sys.argv[1]))["account"]; print(account["asked"], account["taken"])' "$1"
}
# The number of requested samples follows from the length of the run, whatever else the machine did. The run takes a
# moment to begin.
began_us=${EPOCHREALTIME/./}
sample -F 997 -C 0 -o "$tmp/a.json" -o "$tmp/a.pb.gz" 1
whole_us=$((${EPOCHREALTIME/./} - began_us))
read -r asked told < <(account_of "$tmp/a.json")
expect_equal "$told" "$taken" "samples taken, in JSON"
expect_between "$asked" $(($(length_us "$tmp/a.pb.gz") * 997 / 1000000 - 1)) $((whole_us * 997 / 1000000 + 1)) "samples asked for"
expect_between "$taken" 0 $((asked + 1)) "samples taken"

# The kernel takes no sample within 10 us of the last one, so it takes at most half of 200,000 per second. The summary
# says which share.
most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
at_exit "echo $most >/proc/sys/kernel/perf_event_max_sample_rate"
if echo 200000 2>/dev/null >/proc/sys/kernel/perf_event_max_sample_rate; then
  profile -F 200000 -C 0 -o "$tmp/a.json" 0.3
  expect_status 0
  expect_balance_with_losses
  read -r asked told < <(account_of "$tmp/a.json")
  expect_between $((taken * 1000 / asked)) 0 501 "thousandths of the samples asked for"
  expect_err "; $(awk -v part="$taken" -v all="$asked" 'BEGIN { printf "%.1f", 100 * part / all }') % of the $asked asked for"
fi

# A rate that the kernel refuses is reported before anything is sampled.
most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
profile -F $((most + 1)) 1
expect_status 1
expect_err "^profile: -F $((most + 1)): .*$most.*perf_event_max_sample_rate"
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
# So is a period of a clock that is as short.
for clock in cpu-clock task-clock; do
  profile -e $clock -c $((1000000000 / (most + 1))) 1
  expect_status 1
  expect_err "^profile: -c [0-9]+: .* $most Hertz.*perf_event_max_sample_rate"
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
done
