#!/bin/bash
# Prometheus scrapes /metrics of a run, and its promtool has nothing to say against the names and the form.
source "$(dirname "$0")/live.bash"
need_command prometheus promtool

free_port() {
  python3 -c '
import socket
with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    print(one.getsockname()[1])'
}
# A server of profiles that is away, so that the metrics of pushes are there.
begin_live -F 499 -i 0.5 --spool "$tmp/spool" --push "pyroscope+http://127.0.0.1:$(free_port)"
has_waiting() { ask /metrics && grep -q '^profile_push_waiting_samples{.*} [1-9]' "$tmp/answer"; }
wait_until has_waiting
for name in profile_samples_taken_total profile_push_waiting_bytes profile_push_lag_seconds profile_last_drain_age_seconds process_cpu_seconds_total process_resident_memory_bytes; do
  grep -q "^$name" "$tmp/answer" || fail "there is no $name"
done
promtool check metrics <"$tmp/answer" >"$tmp/said" 2>&1 || fail "promtool: $(<"$tmp/said")"
[[ ! -s $tmp/said ]] || fail "promtool: $(<"$tmp/said")"

port=$(free_port)
target=${url#http://}
cat >"$tmp/prometheus.yml" <<CONFIG
scrape_configs:
  - job_name: profile
    scrape_interval: 1s
    static_configs:
      - targets: ['${target%%/*}']
CONFIG
start prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/data" --web.listen-address="127.0.0.1:$port"
# value_of QUERY : prints the value of the only series.
value_of() {
  curl -sS -m 10 --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" 2>/dev/null |
    python3 -c '
import json, sys
series = json.load(sys.stdin)["data"]["result"]
print(series[0]["value"][1] if len(series) == 1 else 0)' 2>/dev/null || echo 0
}
has_grown() { (($(value_of 'increase(profile_samples_taken_total[1m]) > bool 0') == 1)); }
wait_until has_grown
expect_equal "$(value_of 'up{job="profile"}')" 1 "whether it is up"
expect_equal "$(value_of 'sum(profile_samples_total) - sum(profile_samples_taken_total)')" 0 "samples by fate, less those that were taken"
taken=$(value_of profile_samples_taken_total)
ask /metrics
expect_between "$taken" 1 "$(metric profile_samples_taken_total)" "samples that were scraped"
kill -INT "$profiler"
finish
expect_balance
