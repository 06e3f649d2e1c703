#!/usr/bin/env bash
# Waits for locks and conditions: as long as they are by the waiter's own clock, by stack and by address; those that go
# on as the run ends are counted as far as they have come.
source "$(dirname "$0")/sampling.bash"
need_event futex

# said WHAT : sets $address, $times and $waited_us from what locker.c says.
said() { read -r _ address times waited_us < <(grep "^$1 " "$tmp/said"); }
# row_of ADDRESS : sets $count and $total_us from the table.
row_of() {
  local total_ms
  read -r count total_ms _ < <(grep -E "^ *[0-9].* $1\$" "$tmp/out" || echo 0 0)
  total_us=$(awk -v ms="$total_ms" 'BEGIN { printf "%d", ms * 1000 }')
}
# How long a wait lasts at least, by what locker.c is.
declare -A least_us=([lock]=20000 [word]=10000)
# expect_wait MICROSECONDS WHAT : of $times waits: no shorter than they must be, and no longer than by the waiter's own clock, which
# begins before and ends after them; a microsecond for the rounding of each.
expect_wait() { expect_between "$1" $(((least_us[$2] - 1) * times)) $((waited_us + times)) "microseconds of waits for the $2${3:-}"; }

# Table and stacks in one report, and the workload's own words between: they are read by what they begin with.
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
# The rows of the stacks and those of the table are of the same waits.
table_us=$(awk '/^ *[0-9]+ +[0-9.]+ .* 0x[0-9a-f]+$/ { sum += $2 * 1000 } END { printf "%d", sum }' "$tmp/out")
expect_between "$(counted_total)" $((table_us - 5)) $((table_us + 5)) "microseconds of all stacks"

# The function that waits; what stands between it and the system call has no frame of its own.
profile -e futex -f -o "$tmp/run.folded" -- "$WORKLOADS/locker"
expect_status 0
expect_balance
cp "$tmp/out" "$tmp/said"
said word
expect_wait "$(folded_total ';main;wait_for_word;' "$tmp/run.folded")" word ", by its function"
# Shorter ones can be left out, and longer ones: each lasts more than a millisecond, and none a minute.
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

# A wait that nobody ends: as long as the run, in parts when there are several reports, and the summary says so. In a group of its
# own: others may wait at more places than there is room for.
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
# Of the documents, which have every address and not only the ten that others may wait at for longer.
total_us=$(/usr/bin/python3 -c '
import json, sys
tables = [json.loads(open(path).readlines()[-1])["ebpf"]["durations"] for path in sys.argv[2:]]
print(sum(row["durations"]["total_ns"] for table in tables for row in table[0]["rows"] if sys.argv[1] in row["labels"]) // 1000)' \
  "$address" "$tmp"/part-*.json)
# From some time between the two until the run ends; the clocks of the two are compared to a hundredth of a second.
last=("$tmp"/part-*.pb.gz)
read -r last_began last_ns < <(interval_of "${last[-1]}")
expect_between "$total_us" $(((last_began + last_ns - is_there) / 1000 - 10000)) $(((last_began + last_ns - began) / 1000 + 10000)) \
  "microseconds of the wait that does not end"
expect_err '[0-9]+ wait(s were still going on at the end; their| was still going on at the end; its) [0-9.]+ s are counted'
