#!/bin/bash
# -F takes so many samples a second on each CPU, 49 when nothing is said, and -c one for each so many nanoseconds.
source "$(dirname "$0")/sampling.bash"

# expect_rate LOW HIGH WHAT : samples a second of the time the summary tells, which is more than was asked on a slow machine.
expect_rate() {
  local seconds
  seconds=$(sed -nE 's/^[0-9]+ samples in ([0-9.]+) s .*/\1/p' "$tmp/err")
  expect_between "$(awk -v taken="$taken" -v seconds="$seconds" 'BEGIN { print taken / seconds }')" "$1" "$2" "$3"
}

burn pinned 0 60
sample -F 999 -C 0 1
expect_out '^Sampling at 999 Hertz of all threads by user \+ kernel stack on CPU#0 for 1 secs\.$'
expect_rate 700 1100 "samples at 999 Hertz"
sample -C 0 1
expect_out '^Sampling at 49 Hertz '
expect_rate 34 54 "samples at 49 Hertz"
sample -c 2000000 -C 0 1
expect_out '^Sampling at every 2000000 events of all threads by user \+ kernel stack on CPU#0 for 1 secs\.$'
expect_rate 350 550 "samples at one every 2 ms"
expect_out '^    burn_pinned\+0x'

# What the kernel does not allow is said before anything is sampled.
most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
profile -F $((most + 1)) 1
expect_status 1
expect_err "^profile: -F $((most + 1)): .*$most.*perf_event_max_sample_rate"
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
