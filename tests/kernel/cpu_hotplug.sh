#!/bin/bash
# A CPU that comes online during the run is sampled from then on; one that goes does not disturb the run; one that is
# offline cannot be asked for.
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

begin_counted -F 499 --per-cpu -o - -o "$tmp/a.folded" -o "$tmp/a.json" 2.5
echo 1 >$switch
burn pinned 1 600
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"
# It came within a tick of the profiler's, so most of two seconds is there, whoever had them.
expect_present '^on_cpu_1;.*main;burn_pinned' "$tmp/a.folded"
of_cpu_1=$(python3 -c '
import json, sys
rows = json.loads(open(sys.argv[1]).readlines()[-1])["ebpf"]["profile"]["rows"]
print(sum(row["value"] for row in rows if row["cpu"] == 1))' "$tmp/a.json")
expect_between "$of_cpu_1" 250 1300 "samples on the CPU that came"

begin_counted -F 499 -o - -o "$tmp/b.folded" 1.6
echo 0 >$switch
pause 0.5
echo 1 >$switch
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/b.folded"
