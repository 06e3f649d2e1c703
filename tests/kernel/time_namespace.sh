#!/bin/bash
# In a time namespace the clock of a program is not the one that the kernel has in samples. Waits, mappings and the times
# of a stream are right all the same.
source "$(dirname "$0")/sampling.bash"
need_command unshare
ahead=(unshare --time --monotonic 777777 --boottime 777777)
"${ahead[@]}" true 2>/dev/null || skip "time namespaces are not to be had here"

start sleep 600
sleeper=$started
burn leaves 600
leaves=$started

# One wait that has begun before the run, and many that begin in it.
start python3 -c 'import threading
event = threading.Event()
while True: event.wait(0.05)'
waiter=$started
for way in off-cpu:$sleeper:900000 wall:$sleeper:900000 futex:$waiter:100000; do
  IFS=: read -r event pid least <<<"$way"
  has_event "$event" || continue
  run "${ahead[@]}" "$PROFILE" -f -e "$event" -p "$pid" 1
  expect_status 0
  seconds=$(sed -nE 's/.* in ([0-9.]+) s on .*/\1/p' "$tmp/err")
  expect_between "$(folded_total . "$tmp/out")" "$least" "$(awk -v s="$seconds" 'BEGIN { print int(s * 1000000) + 100000 }')" \
    "microseconds of a wait by $event in $seconds s"
done

# The times of a recording.
before_run=$(date +%s%N)
run "${ahead[@]}" "$PROFILE" -o "$tmp/run.db" -F 499 -p "$leaves" 0.5
expect_status 0
after_run=$(date +%s%N)
run "$PROFILE" report "$tmp/run.db" -o "$tmp/recorded.json"
expect_status 0
began_ms=$(grep -oE '"began_unix_ms": ?[0-9]+' "$tmp/recorded.json" | grep -oE '[0-9]+$')
expect_between "${began_ms}000000" "$((before_run - 1000000))" "$after_run" "beginning of a recording"
run "$PROFILE" report "$tmp/run.db" --from 0 --to 60 -f
expect_status 0
expect_out '^leaves;.*;heavy '

before_run=$(date +%s%N)
run "${ahead[@]}" "$PROFILE" --stream=json -F 499 -p "$leaves" 0.5
expect_status 0
after_run=$(date +%s%N)
expect_out '"heavy"'
mapfile -t times < <(grep -oE '"time_unix_ns": ?[0-9]+' "$tmp/out" | grep -oE '[0-9]+')
((${#times[@]} > 0)) || fail "no times; $(outcome)"
for time in "${times[@]}"; do
  expect_between "$time" "$before_run" "$after_run" "time of a sample"
done
