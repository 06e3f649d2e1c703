#!/bin/bash
# `profile store list` tells what a store has, and `profile serve` shows it in a browser: lists, flame graphs and
# comparisons, with errors as answers and other sites kept out.
source "$(dirname "$0")/store.bash"

serve_store
burn leaves 300/2
busy=$started
wait_until is_at_work "$busy"
each=()
for host in web-1 web-2; do
  sample -F 499 -p "$busy" --store "$url" --label host=$host --label version=v${host#web-} 0.6
  each+=("$recorded")
done
all=$((each[0] + each[1]))

# The list as text: shares of hosts and versions are those of the samples.
profile store list "$url"
expect_status 0
expect_silence err
expect_out '^Sampling cpu-clock at 499 Hertz, 20[0-9-]+ [0-9:]+ UTC to 20[0-9-]+ [0-9:]+ UTC$'
expect_out "^ *100\.0% +[0-9.]+ +2 +2 +leaves$"
for i in 0 1; do
  share=$(awk -v part="${each[i]}" -v all="$all" 'BEGIN { printf "%.1f", 100 * part / all }')
  expect_out "^ *${share/./\\.}% +[0-9.]+ +1 +1 +web-$((i + 1))$"
  expect_out "^ *${share/./\\.}% +[0-9.]+ +1 +1 +v$((i + 1))$"
done
profile store list --top 1 --host 'web-*' "$url"
expect_status 0
expect_out '^Hosts \(1 of 2\)$'
profile store list --service-version v2 "$url"
expect_no_out 'web-1$'
profile store list --service none "$url"
expect_status 1
expect_err "^profile: $as_pattern: it has no samples of what is asked for$"
profile report -q -f --service-version v1 "$url"
expect_equal "$(folded_total . "$tmp/out")" "${each[0]}" "samples of a version"
while read -r words; do
  read -r -a arguments <<<"${words%%:*}"
  profile "${arguments[@]}" "$url"
  expect_status 2
  expect_err "^profile: ${words#*: }"
done <<'REFUSED'
store list --ttl 3: store list: --ttl is not for this command$
store init --from -1h: store init: --from is not for this command$
store list --format svg: --format svg: a list of a store is a table or html$
store forget: store: init or list is missing
serve --frequency 3: serve: -F is not for this command
serve --listen nowhere: .*nowhere
REFUSED

# serve WORD... : serves the pages, and sets $page.
serve() {
  begin serve --port 0 "$@"
  wait_until grep -q ' is at http' "$tmp/err"
  page=$(sed -n 's/.* is at //p' "$tmp/err")
}
# get STATUS ADDRESS CURL_OPTION... : leaves the answer in $tmp/page, and its headers in $tmp/headers.
get() {
  local status
  status=$(curl -s -m 60 -D "$tmp/headers" -o "$tmp/page" -w '%{http_code}' "${@:3}" "$page$2")
  expect_equal "$status" "$1" "status of /$2 ($(head -c 200 "$tmp/page" | tr -d '\0'))"
}
serve "$url"
get 200 ''
grep -q '<a href="report?service=leaves">flame graph</a>' "$tmp/page" || fail "the list has no link to a flame graph: $(<"$tmp/page")"
grep -q 'name="b-version" value="v' "$tmp/page" || fail "the list compares no versions"
if grep -q '<script' "$tmp/page"; then fail "the list has a script"; fi
grep -q "^Content-Security-Policy: default-src 'none';.*form-action 'self'" "$tmp/headers" || fail "the list may do more: $(<"$tmp/headers")"
# Each link of the list leads somewhere.
sed -n 's/.*<a href="\(report[^"]*\)">.*/\1/p' "$tmp/page" | sed 's/&amp;/\&/g' | sort -u >"$tmp/links"
(($(wc -l <"$tmp/links") >= 6)) || fail "links: $(<"$tmp/links")"
while read -r link; do
  get 200 "$link"
  grep -q 'id="data"' "$tmp/page" || fail "$link is no flame graph"
done <"$tmp/links"
grep -q "^Content-Security-Policy:.*script-src 'sha256-" "$tmp/headers" || fail "the flame graph's script would not run: $(<"$tmp/headers")"
get 200 'report?service=leaves&host=web-1&from=-1h&to=&comm=&format=folded'
expect_equal "$(folded_total . "$tmp/page")" "${each[0]}" "samples of a host"
get 200 'report?service=leaves&format=pprof'
"$PROFILE" report -q -f "$tmp/page" >"$tmp/folded"
expect_equal "$(folded_total . "$tmp/folded")" "$all" "samples in pprof's format"
get 200 'diff?service=leaves&a-version=v1&b-version=v2'
grep -q 'id="data"' "$tmp/page" || fail "no comparison"
get 200 'diff?service=leaves&a=-1h..&b=-1h..'

# What cannot be shown: one line and a status. The list says it beside its forms.
while read -r status address words; do
  get "$status" "$address"
  grep -Eq "$words" "$tmp/page" || fail "$address: $(head -c 300 "$tmp/page")"
done <<'FAULTS'
200 ?service=none <p class="fault">.*it has no samples of what is asked for
200 ?service=%3Cscript%3E value="&lt;script&gt;"
502 report?service=none it has no samples of what is asked for
400 report?from=yesterday neither a number of seconds nor a time
400 report?format=db format is html, pprof, folded or json
400 report?output=%2Ftmp%2Fx the page has no parameter output
400 report?service=a%00b no text
400 diff?service=leaves two files are compared
404 metrics there is nothing here
FAULTS
[[ ! -e /tmp/x ]] || fail "a request wrote a file"
# A value is no option.
get 502 'report?service=--output%3D%2Ftmp%2Fx'
get 421 '' -H 'Host: example.org'
get 403 'report?service=leaves' -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: cors'
get 200 'report?service=leaves' -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate'
get 405 '' -X POST -d x

# A store that does not answer keeps nobody waiting, and what nobody waits for ends.
mkdir "$tmp/proxy"
start python3 "$SOURCE_DIR/tests/tools/store_proxy.py" "$tmp/proxy" "$port"
wait_until test -s "$tmp/proxy/port"
kill -INT "$profiler"
finish
serve "clickhouse+http://127.0.0.1:$(<"$tmp/proxy/port")/profiles"
get 200 ''
echo 'silent block' >"$tmp/proxy/behave"
makers() { pgrep -P "$profiler" | wc -l; }
has_makers() { (($(makers) == $1)); }
curls=()
for _ in 1 2 3; do
  start curl -s -o /dev/null "${page}report?service=leaves"
  curls+=("$started")
done
wait_until has_makers 3
get 200 ''
{
  kill -KILL "${curls[@]}"
  wait "${curls[@]}"
} 2>/dev/null
wait_until has_makers 0
# A killed maker is one answer; a killed server leaves none behind.
start curl -s -o "$tmp/killed" "${page}report?service=leaves"
wait_until has_makers 1
pkill -KILL -P "$profiler"
wait_until test -s "$tmp/killed"
grep -q 'was killed' "$tmp/killed" || fail "$(<"$tmp/killed")"
start curl -s -o /dev/null "${page}report?service=leaves"
wait_until has_makers 1
maker=$(pgrep -P "$profiler")
kill -TERM "$profiler"
finish
is_gone() { [[ ! -d /proc/$maker ]]; }
wait_until is_gone
