#!/bin/bash
# A store that is away, killed, or answers in no clear way: with a spool every sample is in it once, also when the
# profiler is killed twice meanwhile.
source "$(dirname "$0")/store.bash"

serve_store
burn leaves 60/2
busy=$started
spooled() { find "$tmp/spool" -name '*.request' 2>/dev/null | sed -nE 's/.*-([0-9]+)\.request$/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'; }
has_spooled() { (($(spooled) > $1)); }
has_stored() { (($(ask "$port" 'SELECT sum(samples) FROM samples') > $1)); }

# The server is killed in one run, and away in the next, which is killed; so is a third one. The last run finds it again.
begin -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --store "$url"
wait_until has_stored 0
kill -KILL "$server"
wait_until has_spooled 0
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_err "^profile: --store $as_pattern: (cannot connect|it broke off the connection)$"
all=$recorded
for _ in 1 2; do
  before=$(spooled)
  begin -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --store "$url"
  wait_until has_spooled "$((before + 20))"
  kill -KILL "$profiler"
  finish 2>"$tmp/killed"
  all=$((all + $(spooled) - before))
done
start_server store
sample -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --store "$url" 0.6
expect_equal "$(spooled)" 0 "samples that still wait"
expect_stored "$((all + recorded))"

# Tables that were lost and are made anew: the stacks come again.
begin -F 199 -p "$busy" -i 0.2 --store "$url"
wait_until has_stored "$((all + recorded))"
has_heavy() { (($(ask "$port" "SELECT count() FROM frames WHERE name = 'heavy'") > 0)); }
for table in samples stacks frames; do ask "$port" "DROP TABLE $table"; done
wait_until grep -Eq "doesn't exist|has no tables" "$tmp/err"
"$PROFILE" store init -q "$url" || fail "the tables are not made again"
wait_until has_heavy
kill -INT "$profiler"
finish
expect_status 0
expect_balance

# An answer that does not come, or says that something has failed: what is sent again is not there twice.
stand_before() {
  mkdir "$tmp/proxy"
  start python3 "$SOURCE_DIR/tests/tools/store_proxy.py" "$tmp/proxy" "$port"
  wait_until test -s "$tmp/proxy/port"
  proxy=clickhouse+http://127.0.0.1:$(<"$tmp/proxy/port")/profiles
}
stand_before
is_troubled() { (($(cat "$tmp/proxy/troubled" 2>/dev/null | wc -l) >= $1)); }
while read -r word table words; do
  ask "$port" 'TRUNCATE TABLE samples'
  rm -f "$tmp/proxy/troubled" "$tmp/proxy/passed"
  echo "$word INTO $table" >"$tmp/proxy/behave"
  begin -F 199 -p "$busy" -i 0.2 --store "$proxy"
  wait_until is_troubled 1
  rm "$tmp/proxy/behave"
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  expect_err "^profile: --store ${proxy/+/\\+}: $words$"
  expect_stored "$recorded"
  grep -q 'SELECT count' "$tmp/proxy/passed" || fail "it was sent again after $word without a look"
done <<'ANSWERS'
lost samples it broke off the connection
lost stacks it broke off the connection
cut samples .+
exception samples Memory limit \(total\) exceeded
500 frames status 500: it has an error
garbage samples what it answers is not HTTP, or has no end
hangup samples it broke off the connection
nonsense samples what it answers is not ClickHouse's
endless samples what it answers is not HTTP, or has no end
ANSWERS
