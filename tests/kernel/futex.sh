#!/usr/bin/env bash
# Waits for locks and conditions are as long as the waiter's own clock says, by stack and by address. Waits that last
# beyond the end of the run are counted up to it.
source "$(dirname "$0")/sampling.bash"
need_event futex

# said WHAT : sets $address, $times and $waited_us from the output of locker.c.
said() { read -r _ address times waited_us < <(grep "^$1 " "$tmp/said"); }
# row_of ADDRESS : sets $count and $total_us from the table.
row_of() {
  local total_ms
  read -r count total_ms _ < <(grep -E "^ *[0-9].* $1 " "$tmp/out" || echo 0 0)
  total_us=$(awk -v ms="$total_ms" 'BEGIN { printf "%d", ms * 1000 }')
}
# The shortest time of one wait; locker.c defines it.
declare -A least_us=([lock]=20000 [word]=10000)
# expect_wait MICROSECONDS WHAT : $times waits are not shorter than they must be. They are not longer than the waiter's
# clock says, which starts before them and stops after them; each wait may add a microsecond of rounding.
expect_wait() { expect_between "$1" $(((least_us[$2] - 1) * times)) $((waited_us + times)) "microseconds of waits for the $2${3:-}"; }

# Table, stacks and the workload's own output are mixed here, so each line is recognised by its beginning.
profile -e futex --format counted -- "$WORKLOADS/locker"
expect_status 0
expect_balance
cp "$tmp/out" "$tmp/said"
for what in lock word; do
  said "$what"
  row_of "$address"
  expect_equal "$count" "$times" "waits for the $what"
  expect_wait "$total_us" "$what" ", in the table"
done
# The variables have names.
said lock
expect_out "^ *[0-9].* $address +lock \[locker\]\$"
said word
expect_out "^ *[0-9].* $address +word \[locker\]\$"
# The stacks and the table show the same waits.
table_us=$(awk '/^ *[0-9]+ +[0-9.]+ .* 0x[0-9a-f]+ +[^ ]/ { sum += $2 * 1000 } END { printf "%d", sum }' "$tmp/out")
expect_between "$(counted_total)" $((table_us - 5)) $((table_us + 5)) "microseconds of all stacks"

# The function that waits. Between it and the system call there is no other frame.
profile -e futex -f -o "$tmp/run.folded" -- "$WORKLOADS/locker"
expect_status 0
expect_balance
cp "$tmp/out" "$tmp/said"
said word
expect_wait "$(folded_total ';main;wait_for_word;' "$tmp/run.folded")" word ", by its function"
# Options leave out short or long waits. Each wait here is longer than a millisecond and shorter than a minute.
for left_out in min:1000 max:60000000; do
  profile -e futex --"${left_out%:*}"-block-us "${left_out#*:}" -o - -o "$tmp/run.folded" -- "$WORKLOADS/locker"
  expect_status 0
  expect_balance
  cp "$tmp/out" "$tmp/said"
  for what in lock word; do
    said "$what"
    row_of "$address"
    expect_equal "$count" "$times" "waits for the $what, $left_out"
    expect_wait "$total_us" "$what" ", $left_out"
  done
  expect_wait "$(folded_total ';main;wait_for_word;' "$tmp/run.folded")" word ", by its function, $left_out"
done
for left_out in min:60000000 max:1000; do
  profile -e futex --"${left_out%:*}"-block-us "${left_out#*:}" -o - -o "$tmp/run.folded" -- "$WORKLOADS/locker"
  expect_status 0
  expect_balance
  cp "$tmp/out" "$tmp/said"
  of_both=0
  for what in lock word; do
    said "$what"
    row_of "$address"
    expect_equal "$count" 0 "waits for the $what, $left_out"
    of_both=$((of_both + times))
  done
  expect_absent ';(wait_for_word|wait_for_lock);' "$tmp/run.folded"
  ((filtered >= of_both)) || fail "$filtered waits are left out, and there were $of_both; $(outcome)"
done

# A wait that never ends lasts as long as the run. Several reports each have a part of it, and the summary says so. It
# runs in its own cgroup, because waits of other processes could fill the table.
need_group
begin_counted -e futex --cgroup "$group" -i 0.7 -o - -o "$tmp/part-%02d.pb.gz" -o "$tmp/part-%02d.json" 600
began=$(date +%s%N)
start in_group "$WORKLOADS/locker" 1200
wait_until grep -q '^for_ever ' "$tmp/started"
is_there=$(date +%s%N)
wait_until test -e "$tmp/part-03.json"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
address=$(sed -n 's/^for_ever //p' "$tmp/started")
[[ -n $address ]] || fail "the workload says nothing: $(cat "$tmp/started")"
# From the JSON documents, which have every address. The table has only the ten longest waits.
total_us=$(/usr/bin/python3 -c '
import json, sys
tables = [json.loads(open(path).readlines()[-1])["ebpf"]["durations"] for path in sys.argv[2:]]
print(sum(row["durations"]["total_ns"] for table in tables for row in table[0]["rows"] if sys.argv[1] in row["labels"]) // 1000)' \
  "$address" "$tmp"/part-*.json)
# The wait begins between the two times and lasts until the run ends. The clocks of the two programs agree within 10 ms.
last=("$tmp"/part-*.pb.gz)
read -r last_began last_ns < <(interval_of "${last[-1]}")
expect_between "$total_us" $(((last_began + last_ns - is_there) / 1000 - 10000)) $(((last_began + last_ns - began) / 1000 + 10000)) \
  "microseconds of the wait that does not end"
expect_err '[0-9]+ wait(s were still going on at the end; their| was still going on at the end; its) [0-9.]+ [mu]?s are counted'
