#!/bin/bash
# How soon a run ends when samples come faster than they can be read, and that no more come when it has ended.
# shellcheck disable=SC2034
measured=1
source "$(dirname "$0")/overload.sh"

# The events stop with the run. Otherwise the program goes on to run, and is counted, while the samples are read and
# named, and each of its runs takes time from that.
for ((i = 0; i < 8; i++)); do burn leaves 600; done
for ((i = 0; i < 3; i++)); do
  run "$PROFILE" -F $((most / 10 * 8)) -o "$tmp/c.folded" 0.5
  expect_status 0
  expect_balance_with_losses
  runs=$(sed -nE 's/^[0-9]+ samples in ([0-9.]+) s on ([0-9]+) CPUs?:.*; ([0-9.]+) us a sample, ([0-9.]+) % of .*/\1 \2 \3 \4/p' "$tmp/err" |
    awk '{ printf "%d", $4 / 100 * $1 * $2 * 1e6 / $3 }')
  expect_between "$runs" $((taken / 2)) $((taken * 13 / 10)) "runs of the program, of $taken samples"
done
