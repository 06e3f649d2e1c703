#!/bin/bash
# A program that has copied its text to memory of its own keeps its names and its callers, whether it does so during the
# run or did before.
source "$(dirname "$0")/sampling.bash"
walks_by_tables || skip "this kernel has no walks by tables"
stack=';main;copied_outer;copied_inner '

sample_folded -F 499 -U -- "$WORKLOADS/copied" 2cpu
grep '^copied;' "$tmp/out" >"$tmp/its"
expect_share "$stack" 90 100 "$tmp/its"

# Each of several events has walks of its own.
profile -q -F 499 -U -o "$tmp/two.folded" -e cpu-clock -e task-clock -- "$WORKLOADS/copied" 1cpu
expect_status 0
for event in cpu-clock task-clock; do
  grep '^copied;' "$tmp/two.$event.folded" >"$tmp/its"
  expect_share "$stack" 70 100 "$tmp/its"
done

start "$WORKLOADS/copied" 600
has_copied() { grep -q copied "$tmp/started"; }
wait_until has_copied
for how in auto cfi; do
  # Its table comes after the first samples.
  sample_until 'is_seen ;main;copied_outer;copied_inner[[:space:]]' -f -F 499 -U -p "$started" --unwind "$how" 0.5
  sample_enough 200 -F 499 -U -p "$started" --unwind "$how" 1
  expect_share "$stack" 90 100
  expect_no_err 'JIT code'
done
