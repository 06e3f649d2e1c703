#!/bin/bash
# With --cpu-limit fewer ticks are taken when profiling costs more, and the samples have the weight of all of them.
source "$(dirname "$0")/sampling.bash"
start "$WORKLOADS/leaves" 600
sum_of() { awk '{ sum += $NF } END { print sum + 0 }' "$tmp/out"; }
skipped_in() { sed -nE 's/.*they stand for ([0-9]+) more ticks? \(--cpu-limit\).*/\1/p' "$tmp/err"; }

# Of the whole machine, because it skips ticks before it knows whose they are.
sample -F 997 -U -f --cpu-limit 0.05 22
skipped=$(skipped_in)
((skipped > 1000)) || fail "only ${skipped:-no} ticks were skipped; $(outcome)"
ticks=$(sum_of)
((ticks <= recorded + skipped && ticks >= recorded + skipped * 99 / 100)) || fail "$recorded samples and $skipped ticks are $ticks; $(outcome)"

# Not below the limit, and not without one.
for limit in '--cpu-limit 100%' ''; do
  # shellcheck disable=SC2086
  sample -F 99 -U -f -p "$started" $limit 1
  expect_equal "$(skipped_in)" "" "skipped ticks with '$limit'"
  expect_equal "$(sum_of)" "$recorded" "samples with '$limit'"
done

# Other events have no ticks.
profile -e off-cpu --cpu-limit 1 -p "$started" 1
expect_status 2
expect_err '^profile: --cpu-limit is for the clocks, and for events with -c: not for -e off-cpu$'
for bad in 0 -1 101 x '' nan; do
  profile --cpu-limit "$bad" 1
  expect_status 2
  expect_err '--cpu-limit.*: not a share of a CPU above 0 and at most 100 %'
done
