#!/bin/bash
# -F is the number of samples per second on each CPU, 49 by default, and -c is the number of nanoseconds per sample.
# Most samples keep the rate.
source "$(dirname "$0")/sampling.bash"
need_timeliness
need_command python3

# expect_period US OPTION... : most samples of CPU 0 come a period after the one before. The load of the machine and its
# host changes how many ticks the kernel skips, but not the distance between the others.
expect_period() {
  local median
  sample --stream=json -C 0 "${@:2}" 1
  median=$(python3 - "$tmp/out" <<'PYTHON'
import json, statistics, sys
times = [json.loads(line)["time_unix_ns"] for line in open(sys.argv[1])]
print(statistics.median(b - a for a, b in zip(times, times[1:])) / 1000)
PYTHON
  ) || fail "no times; $(outcome)"
  expect_between "$median" $(($1 * 95 / 100)) $(($1 * 105 / 100)) "median of the microseconds between two samples of ${*:2}"
}

burn pinned 0 600
wait_until is_at_work "$started"
expect_period 1001 -F 999
expect_period 20408
expect_period 2000 -c 2000000
