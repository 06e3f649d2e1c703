#!/bin/bash
# A deep stack in which each frame lies in another library than its caller is whole, also where there are more libraries
# than a CPU remembers.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "this kernel has no walks by tables"

for ((at = 0; at < 40; at++)); do cp "$WORKLOADS/libhop.so" "$tmp/lib.$at"; done
for count in 1 24 40; do
  burn hops "$tmp/lib" "$count" 100 600
  wait_until is_at_work "$started"
  # Every library has its table after the first samples.
  sample_until 'is_seen ;main;hop' -f -F 499 -U -p "$started" --unwind cfi 0.5
  sample_enough 100 -F 499 -U -p "$started" 0.5
  printf -v hops '%*s' 100 ''
  expect_share ";main(;hop)+ " 98 100
  # Some samples fall into the calls on the way there.
  expect_share ";main${hops// /;hop} " 85 100
  kill "$started"
done
