#!/bin/bash
# The simulation of a fleet (tests/bench/fleet), with few hosts: each sample that they send is in the store, with its
# stack, reports read it, and all figures are there.
source "$(dirname "$0")/store.bash"

serve_store
run python3 "$SOURCE_DIR/tests/bench/fleet/fleet.py" --port "$port" --pid "$server" --short
expect_status 0
expect_equal "$(grep -cE '^fleet: [1-9][0-9]* samples of 20 hosts are in the store$' "$tmp/err")" 3 "simulations"
ask_of() { curl -s "http://127.0.0.1:$port/?database=$1" --data-binary "$2"; }
for load in quiet known compile; do
  # A minute of 20 hosts.
  hosts=$(ask_of "$load" 'SELECT uniqExact(host), uniqExact(batch) FROM samples FORMAT CSV')
  expect_equal "$hosts" 20,120 "hosts and ticks of $load"
done
expect_equal "$(ask_of hour 'SELECT uniqExact(host, time) FROM samples')" 7200 "ticks of an hour"
for row in 'machines a core' 'folded lines' 'page' 'diff of two halves' 'SQL: 20 hottest functions' \
  'CPU, % of one, BPF included' '1,000,000, compile loop'; do
  expect_out "^\| \**$row\** \|( [0-9][^|]*\|)+"
done
