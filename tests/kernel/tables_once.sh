#!/bin/bash
# A table is made once. Two CPUs and the profiler itself may ask for a file at the same time; an answer to each would
# take the table away again and again, and nearly all stacks of the run would lack it.
source "$(dirname "$0")/sampling.bash"
need_command python3
need_event off-cpu

cat >"$tmp/waits.py" <<'PYTHON'
import sqlite3, sys
orders = sqlite3.connect(sys.argv[1])
orders.execute("create table orders(number, text)")
number = 0
while True:
    orders.execute("insert into orders values(?, ?)", (number, "x" * 100))
    orders.commit()
    number += 1
PYTHON
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 has no sqlite3"
# Programs that are made, run and removed keep the profiler busy.
# shellcheck disable=SC2016
start bash -c 'while :; do cp "$0" "$1"; "$1" 0.001cpu; rm "$1"; done' "$WORKLOADS/depth" "$tmp/brief"
start python3 "$tmp/waits.py" "$tmp/orders.db"
waits=$started
wait_until is_at_work "$waits"
# A sanitized program takes longer until it has read the first file.
for run in {1..25}; do
  profile -e off-cpu -f -p "$waits" $((SANITIZED + 0)).3
  expect_status 0
  expect_balance
  missing=$(sed -nE 's/^script frames missing in ([0-9]+) of .*/\1/p' "$tmp/err")
  expect_between "${missing:-0}" 0 $((recorded / 2)) "samples without script frames of $recorded in run $run"
done
