#!/bin/bash
# Threads that sleep through the whole run are told apart from those that wait and wake, and --ended-waits leaves them
# out.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command python3

sleepers=20
start python3 -c '
import sys, threading, time
threading.stack_size(128 * 1024)
for _ in range(int(sys.argv[1])):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
open(sys.argv[2], "w").close()
while True:
    time.sleep(0.002)' "$sleepers" "$tmp/all_there"
program=$started
wait_until test -e "$tmp/all_there"
all_wait() { (($(cat "$program_tasks"/*/stat | sed 's/.*) //' | grep -c '^S') >= sleepers)); }
program_tasks=/proc/$program/task
wait_until all_wait

# never_woke FILE : prints how many threads of the JSON report never woke up, and how many did.
never_woke() {
  python3 -c '
import json, sys
threads = json.load(open(sys.argv[1]))["ebpf"]["offcpu"]["thread_stats"].values()
print(sum("never_woke" in thread for thread in threads), sum("never_woke" not in thread for thread in threads))' "$1"
}

sample -e off-cpu -p "$program" -o "$tmp/all.json" -o "$tmp/all.html" 0.5
expect_balance
expect_equal "$(never_woke "$tmp/all.json")" "$sleepers 1" "threads that never woke up, and others"
expect_err "; $sleepers threads never woke up, [0-9.]+ m?s, and stand last$"
first=$(grep -A 2 '^Top [0-9]* blocking threads' "$tmp/err" | tail -n 1)
[[ $first =~ ^\ *$program\ +$program\  ]] || fail "another thread comes first: $first"
expect_err "^ *$program +[0-9]+ +python3 +[0-9.]+ +- +1 +[0-9.]+$"

sample -e off-cpu --ended-waits -p "$program" -o "$tmp/ended.json" 0.5
expect_balance
expect_equal "$(never_woke "$tmp/ended.json")" "0 1" "threads that never woke up, and others"
expect_err "^[0-9]+ threads were still blocked at the end; their [0-9.]+ [mu]?s are left out$"

# So are they when their process ends before the run does.
brief='
import threading, time
threading.stack_size(128 * 1024)
for _ in range(20): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
for _ in range(100): time.sleep(0.005)
'
sample -e off-cpu -o "$tmp/brief.json" -- python3 -c "$brief"
expect_balance
# Some wait for the interpreter's lock first, and beside sanitized programs all may.
expect_between "$(never_woke "$tmp/brief.json" | cut -d' ' -f1)" $((1 - SANITIZED)) "$sleepers" "threads that never woke up"
sample -e off-cpu --ended-waits -o "$tmp/ended.json" -- python3 -c "$brief"
expect_balance
expect_equal "$(never_woke "$tmp/ended.json" | cut -d' ' -f1)" 0 "threads that never woke up"
expect_err "^$sleepers threads were still blocked at the end, of the run or of their process; their [0-9.]+ [mu]?s are left out$"

# A wait over several reports counts in the one where it ends.
start sleep 1.5
sample -e off-cpu --ended-waits -p "$started" -i 0.4 --format json -o "$tmp/reports"
expect_balance
python3 - "$tmp/reports" <<'PY' || fail "the wait of sleep is not whole"
import json, sys
reports = [json.loads(line) for line in open(sys.argv[1])]
waits = [row["value"] for report in reports for row in report["ebpf"]["offcpu"]["stack_traces"]["rows"]]
assert len(reports) > 2 and max(waits) > 0.5e6, (len(reports), waits)
PY

profile -e futex --ended-waits 1
expect_status 2
