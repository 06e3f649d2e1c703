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
# Two in a hundred, and for each wait what it takes to be told of it.
expect_wait() { expect_between "$1" $(($2 * 98 / 100 - 100 * $3)) $(($2 * 102 / 100 + 100 * $3)) "$4"; }

# Table and stacks in one report, and the workload's own words between: they are read by what they begin with.
profile -e futex --format counted -- "$WORKLOADS/locker"
expect_status 0
expect_balance
cp "$tmp/out" "$tmp/said"
for what in lock word; do
  said "$what"
  row_of "$address"
  expect_equal "$count" "$times" "waits for the $what"
  expect_wait "$total_us" "$waited_us" "$times" "microseconds of waits for the $what, in the table"
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
expect_wait "$(folded_total ';main;wait_for_word;' "$tmp/run.folded")" "$waited_us" "$times" "microseconds in wait_for_word"
# Shorter ones can be left out, and longer ones. Those for the word last 10 ms each and those for the lock 20; on a busy
# machine one or the other is longer, or begins late.
profile -e futex --min-block-us 15000 -o - -o "$tmp/run.folded" -- "$WORKLOADS/locker"
expect_balance
cp "$tmp/out" "$tmp/said"
said word
row_of "$address"
expect_between "$count" 0 "$((times - 1))" "long waits for the word"
((total_us >= 15000 * count)) || fail "$count waits of 15 ms at least are $total_us us"
((filtered > 0)) || fail "no wait was too short; $(outcome)"
said lock
row_of "$address"
expect_between "$count" 1 "$times" "long waits for the lock"
expect_between "$total_us" $((15000 * count)) $((waited_us * 102 / 100 + 100 * times)) "microseconds of long waits for the lock"
if ((count == times)); then
  expect_wait "$(folded_total 'pthread_mutex_lock|lll_lock_wait' "$tmp/run.folded")" "$waited_us" "$times" "long waits"
fi
profile -e futex --max-block-us 15000 -o - -o "$tmp/run.folded" -- "$WORKLOADS/locker"
expect_balance
expect_present ';wait_for_word;' "$tmp/run.folded"
cp "$tmp/out" "$tmp/said"
said lock
row_of "$address"
expect_between "$count" 0 "$((times - 1))" "short waits for the lock"
((total_us <= 15000 * count)) || fail "$count waits of 15 ms at most are $total_us us"

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
# From some time between the two until the run ends.
last=("$tmp"/part-*.pb.gz)
read -r last_began last_ns < <(interval_of "${last[-1]}")
expect_between "$total_us" $(((last_began + last_ns - is_there) / 1000 - 200000)) $(((last_began + last_ns - began) / 1000 + 50000)) \
  "microseconds of the wait that does not end"
expect_err '[0-9]+ wait(s were still going on at the end; their| was still going on at the end; its) [0-9.]+ s are counted'
