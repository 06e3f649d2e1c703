#!/bin/bash
# report and diff read a store as they read a file: the same stacks, names and shares. They choose by service, host, event,
# version and time.
source "$(dirname "$0")/store.bash"

serve_store
burn leaves 120/2
busy=$started
sample -F 499 -p "$busy" -f -o "$tmp/run.folded" -o "$tmp/run.pb.gz" --store "$url" 1.6
all=$recorded

# report ARGUMENT... : leaves the folded lines of the report of the store in $tmp/out.
report() {
  profile report -q -f "$@" "$url"
  expect_status 0
  expect_silence err
}
report
sort "$tmp/out" >"$tmp/of_store"
sort "$tmp/run.folded" | cmp - "$tmp/of_store" || fail "the report of the store has other stacks: $(diff <(sort "$tmp/run.folded") "$tmp/of_store" | head -5)"
# Modules, offsets and the rest of what formats show.
for options in '--modules -a' '--lines -a'; do
  # shellcheck disable=SC2086
  "$PROFILE" report -q -f $options "$tmp/run.pb.gz" | sort >"$tmp/of_file"
  # shellcheck disable=SC2086
  report $options
  sort "$tmp/out" | cmp - "$tmp/of_file" || fail "with $options the report of the store is another: $(diff "$tmp/of_file" <(sort "$tmp/out") | head -5)"
done
"$PROFILE" report -q -o "$tmp/store.table" "$url"
grep -Eq ' heavy$' "$tmp/store.table" || fail "no table: $(head "$tmp/store.table")"
profile report -o "$tmp/fleet.html" "$url"
expect_status 0
grep -q '<script [^>]*id="samples"' "$tmp/fleet.html" || fail "the page does not show when"

# Two hosts, two versions, two services, another event, and part of the time.
sample -F 499 -p "$busy" --store "$url" --label host=web-2 --label version=v2 0.5
second=$recorded
report --host 'web-*'
expect_equal "$(folded_total . "$tmp/out")" "$second" "samples of a host"
report --host "$(uname -n)" --service leaves
expect_equal "$(folded_total . "$tmp/out")" "$all" "samples of the other one"
report --service 'lea*' --comm leaves
expect_equal "$(folded_total . "$tmp/out")" "$((all + second))" "samples of a service"
report --from -1h --to -0s
report --from "$(date -d '1 minute ago' '+%F %T')"
expect_equal "$(folded_total . "$tmp/out")" "$((all + second))" "samples of a minute"
while read -r words; do
  read -r -a arguments <<<"${words%%:*}"
  profile report -f "${arguments[@]}" "$url"
  expect_status 1
  expect_silence out
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: $as_pattern: ${words#*: }"
done <<'REFUSED'
--service shop: it has no samples of what is asked for$
--to -1h: it has no samples of what is asked for$
--service x'OR'1'='1: it has no samples
-e page-faults: it has samples of cpu-clock, not of page-faults$
--from 2: a store has no first second
-p 1: a store does not tell processes by number
REFUSED
profile report --service leaves "$tmp/run.folded"
expect_status 1
expect_err 'only a store tells services'
# With credentials, which are for the store alone.
umask 077
echo agent:secret >"$tmp/auth"
profile report -q -f --service leaves --push-auth-file "$tmp/auth" "$url"
expect_status 0
expect_equal "$(folded_total . "$tmp/out")" "$((all + second))" "samples for a user"
echo secrets >"$tmp/auth"
profile report -q -f --push-auth-file "$tmp/auth" "${url/http:\/\//http://agent@}"
expect_status 1
expect_err '^profile: clickhouse\+http://agent@.*: it wants other credentials: Wrong password for user agent$'
umask 022
# Other rates make time of samples.
sample -F 99 -p "$busy" --store "$url" 0.5
profile report -q -o "$tmp/rates.json" "$url"
expect_status 0
grep -q '"nanoseconds"' "$tmp/rates.json" || fail "samples of two rates are added up"
if has_event off-cpu; then
  profile -q -e off-cpu -p "$busy" --store "$url" 0.5
  expect_status 0
  report -e off-cpu
  expect_equal "$(folded_total . "$tmp/out")" "$(ask "$port" "SELECT sum(value) FROM samples WHERE event = 'off-cpu'")" "microseconds of waits"
fi

# Known samples: 40 ticks of two versions, of which one spends more in light().
stack_of() {
  ask "$port" "SELECT any(stack) FROM stacks WHERE frames[-1] IN (SELECT frame FROM frames WHERE name = '$1' AND service = 'leaves')"
}
heavy=$(stack_of heavy) light=$(stack_of light)
ask "$port" 'TRUNCATE TABLE samples'
# Some of them may be of yesterday, and stacks are sent once a day.
ask "$port" "INSERT INTO stacks SELECT day - 1, service, stack, frames FROM stacks"
ask "$port" "INSERT INTO frames SELECT day - 1, service, frame, kind, name, module, path, build_id, code_start, code_limit, code_offset, offset, function,
  address, is_return, unnamed, file, line FROM frames"
add() {
  ask "$port" "INSERT INTO samples(time, duration_ms, host, service, version, event, unit, frequency_hz, process, stack, value, samples)
    SELECT now() - 600 + 10 * tick, 10000, 'a', 'leaves', '$1', 'cpu-clock', 'samples', 49, 'leaves', $2, $3 + tick * 7 % 5 AS n, n FROM
    (SELECT arrayJoin(range(40)) AS tick)"
}
add aa11 "$heavy" 60
add aa11 "$light" 30
add bb22 "$heavy" 50
add bb22 "$light" 40
profile diff --service leaves --a-version aa --b-version bb2 "$url"
expect_status 0
expect_out 'light'
expect_out '95 % interval'
expect_out '^.*blocks of 10 s'
profile diff -q --a-version aa11 --b-version bb22 --fail-above 5% "$url"
expect_status 3
expect_err 'light has grown by 1[01]\.[0-9]+ ± 0\.[0-9]+ points'
profile diff -q --a -10m..-400s --b -400s..-3m --fail-above 2% "$url"
expect_status 0
profile diff -q --a-version aa11 --b-version cc "$url"
expect_status 1
expect_err 'no samples of what is asked for'

# A server that answers in no clear way: one line, bounded memory, and an end.
mkdir "$tmp/proxy"
start python3 "$SOURCE_DIR/tests/tools/store_proxy.py" "$tmp/proxy" "$port"
wait_until test -s "$tmp/proxy/port"
proxy=clickhouse+http://127.0.0.1:$(<"$tmp/proxy/port")/profiles
run "$PROFILE" report -q -f "$proxy"
expect_status 0
limited() {
  ulimit -v "$((SANITIZED ? 1 << 50 : 1500000))"
  "$@"
}
while read -r word of words; do
  echo "$word ${of#any}" >"$tmp/proxy/behave"
  run limited "$PROFILE" report -f "$proxy"
  expect_status 1
  expect_silence out
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines about $word of $of"
  expect_err "^profile: ${proxy/+/\\+}: $words"
done <<'ANSWERS'
garbage any what it answers is not HTTP
hangup any it broke off the connection$
500 any status 500: it has an error$
exception any Memory limit \(total\) exceeded$
nonsense block .*(cut off|makes no sense)$
nonsense frame, .*(cut off|makes no sense)$
endless any its answer is too long$
endless block .*(makes no sense|too long)$
endless frame, .*(makes no sense|too long)$
bomb any .*(cut off|makes no sense|too long)$
bomb block .*(cut off|makes no sense|too long)$
half block it broke off the connection$
ragged block its answer is cut off$
ragged event, its answer is cut off$
ANSWERS
