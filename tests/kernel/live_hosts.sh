#!/bin/bash
# The live page answers to the names that --allow-host gives and to no others, and /debug/pprof/profile?pid= has only
# the samples of those processes.
source "$(dirname "$0")/live.bash"

burn leaves 600/3
leaves=$started
burn shared_leaves 600/3
others=$started
begin_live -F 499 --allow-host scraper --allow-host '*.mon.example.org'
wait_until is_healthy

# code_for HOST : prints the status of a request for that host name.
code_for() { curl -sS -m 60 -o "$tmp/answer" -w '%{http_code}' -H "Host: $1" "${url}metrics"; }
for host in scraper SCRAPER:9090 a.mon.example.org a.b.mon.example.org:80 localhost; do
  expect_equal "$(code_for "$host")" 200 "status for $host"
done
for host in evil.com scraper.evil.com mon.example.org evil-mon.example.org a.mon.example.org.evil.com; do
  expect_equal "$(code_for "$host")" 421 "status for $host"
done
grep -q -- --allow-host "$tmp/answer" || fail "the refusal names no option: $(cat "$tmp/answer")"

# processes QUERY : prints the tgids that a profile of that query has, "none" if it has no sample, or "none yet" if the
# machine took no sample in that time.
processes() {
  ask "/debug/pprof/profile?seconds=1$1"
  if [[ $code == 503 ]]; then echo "none yet" && return; fi
  expect_code 200
  "$PROFILE" report -q --format json -o "$tmp/of_query.json" "$tmp/answer" || fail "the profile cannot be read"
  python3 -c '
import json, sys
stacks = json.load(open(sys.argv[1]))["ebpf"].get("profile", {"rows": [], "processes": []})
print(*sorted({stacks["processes"][row["process"]]["pid"] for row in stacks["rows"]}) or ["none"])' "$tmp/of_query.json"
}
is_only() { [[ $(processes "&pid=$1") == "$1" ]]; }
has_both() { [[ $(processes "&pid=$leaves&pid=$others") == "$(printf '%s\n' "$leaves" "$others" | sort -n | paste -sd ' ')" ]]; }
wait_until is_only "$leaves"
wait_until is_only "$others"
wait_until has_both
for wrong in pid=0 pid=x pid= tid=1 seconds=1\&debug=1; do
  ask "/debug/pprof/profile?$wrong"
  expect_code 400
done
kill -INT "$profiler"
finish
expect_status 0

# A pattern that a foreign site could match, and what is no name.
for wrong in '*' '*.com' 'a b' '*.*.org' ''; do
  run timeout 60 "$PROFILE" -T -R 0 --allow-host "$wrong" 0.1
  expect_status 2
  expect_err '^profile: --allow-host '
done
run timeout 60 "$PROFILE" --allow-host scraper 0.1
expect_status 2

# A run that listens on every address prints one that others can use. Cards of a machine without a network have none.
if hostname -I 2>/dev/null | grep -qE '([0-9]+\.){3}[0-9]'; then
  begin_live -F 99 --listen 0.0.0.0
  [[ $url =~ ^http://[0-9.]+:[0-9]+/$ && $url != http://0.* ]] || fail "the address of a run that listens on 0.0.0.0: '$url'"
  wait_until is_healthy
  kill -INT "$profiler"
  finish
  expect_status 0
else
  echo "left out: the address of a run that listens on 0.0.0.0: there is no network card here"
fi
