#!/bin/bash
# -q prints nothing on stderr and does not change stdout; -v prints many details.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
wait_until is_at_work "$started"
for seconds in 0.4 4 40; do
  profile -q -f -F 499 -p "$started" $seconds
  expect_status 0
  expect_silence err
  if grep -q ';main;outer;middle;heavy ' "$tmp/out"; then break; fi
done
expect_present ';main;outer;middle;heavy '
profile -q -- sh -c 'exit 4'
expect_status 4
expect_silence err

profile -v -f -F 499 -p "$started" 0.4
expect_status 0
expect_err libbpf
expect_balance
expect_folded_total
