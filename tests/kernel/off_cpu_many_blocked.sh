#!/bin/bash
# More threads are blocked when the run begins than the kernel reports in one piece. Each is reported once, with its
# stack.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command python3

# A piece is about 32 kB, and a thread takes 300 bytes or more.
threads=600
start python3 -c '
import sys, threading, time
threading.stack_size(128 * 1024)
for _ in range(int(sys.argv[1])):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
open(sys.argv[2], "w").close()
time.sleep(600)' "$threads" "$tmp/all_there"
program=$started
wait_until test -e "$tmp/all_there"
all_wait() { [[ $(cat "/proc/$program"/task/*/stat | sed 's/.*) //' | cut -c 1 | sort | uniq -c | tr -s ' ') == " $((threads + 1)) S" ]]; }
wait_until all_wait

sample -e off-cpu -p "$program" --per-thread -o "$tmp/all.json" 0.5
expect_balance
expect_err "^$((threads + 1)) threads were still blocked at the end; "
python3 - "$tmp/all.json" "$((threads + 1))" <<'PY' || fail "not each thread has its stack, or waits too long"
import json, sys
def rows_of(value):
    if isinstance(value, dict):
        yield from value.get("rows", [])
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from rows_of(one)
report = json.load(open(sys.argv[1]))
waiting = {row["tid"] for row in rows_of(report) if row["value"] and "user" in row and "kernel" in row}
assert len(waiting) == int(sys.argv[2]), len(waiting)
# To find them takes time, which is not part of the run.
waited_s = sum(row["value"] for row in rows_of(report)) / 1e6
most_s = len(waiting) * report["profile"]["took_s"]
assert 0.98 * most_s < waited_s < 1.01 * most_s, (waited_s, most_s)
PY
