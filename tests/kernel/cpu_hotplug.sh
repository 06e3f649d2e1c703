#!/bin/bash
# A CPU that comes online during the run is sampled from then on, and a CPU that goes offline does not disturb the run.
# -C refuses an offline CPU.
source "$(dirname "$0")/sampling.bash"
need_timeliness
need_command python3
switch=/sys/devices/system/cpu/cpu1/online
[[ -w $switch && $(cat $switch) == 1 ]] || skip "there is no second CPU here that could be switched off"

at_exit "echo 1 >$switch"
echo 0 2>/dev/null >$switch || skip "the second CPU cannot be switched off here"

profile -C 1 1
expect_status 1
expect_err '^profile: -C 1: .*offline'
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"

is_seen() { cat "$tmp"/part-*.folded 2>/dev/null | grep -q '^on_cpu_1;.*main;burn_pinned'; }
begin_counted -F 499 --per-cpu -i 0.5 -o - -o "$tmp/part-%02d.folded" -o "$tmp/part-%02d.json"
echo 1 >$switch
burn pinned 1 600
# The CPU is noticed within a tick of the profiler.
wait_until is_seen
kill -INT "$profiler"
finish
cat "$tmp"/part-*.folded >"$tmp/a.folded"
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"
expect_between "$(folded_total '^on_cpu_1;' "$tmp/a.folded")" 1 "$recorded" "samples of what runs there"
# All that ran there has the number of that CPU.
python3 - "$tmp"/part-*.json <<'PYTHON' || fail "the CPU that came is not told apart"
import json, sys
cpus = set()
for path in sys.argv[1:]:
    profile = json.load(open(path))["ebpf"].get("profile") or {"rows": [], "processes": []}
    cpus |= {row["cpu"] for row in profile["rows"] if profile["processes"][row["process"]]["name"] in ("pinned", "on_cpu_1")}
assert 1 in cpus, cpus
PYTHON

begin_counted -F 499 -o - -o "$tmp/b.folded"
echo 0 >$switch
pause 0.5
echo 1 >$switch
pause 0.5
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/b.folded"
