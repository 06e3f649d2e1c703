#!/bin/bash
# A sample of such a stack costs about the same in 24 libraries as in 4. Each mapping that a CPU forgets is a search of
# the kernel's tree at each frame: ten times as much.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "this kernel has no walks by tables"

for ((at = 0; at < 24; at++)); do cp "$WORKLOADS/libhop.so" "$tmp/lib.$at"; done
# cost_in COUNT : prints the nanoseconds of a sample, the least of three runs.
cost_in() {
  burn hops "$tmp/lib" "$1" 100 600
  wait_until is_at_work "$started"
  for _ in 1 2 3; do
    sample_enough 400 -v -F 999 -U -p "$started" 1
    sed -nE 's/.* ([0-9.]+) us a sample.*/\1/p' "$tmp/err" | head -n 1
  done | sort -n | head -n 1
  kill "$started"
}
few=$(cost_in 4) many=$(cost_in 24)
awk -v few="$few" -v many="$many" 'BEGIN { exit !(few > 0 && many < 2 * few) }' ||
  fail "a sample costs $many us in 24 libraries, and $few us in 4"
