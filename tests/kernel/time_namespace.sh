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

if has_event off-cpu; then
  run "${ahead[@]}" "$PROFILE" -f -e off-cpu -p "$sleeper" 1
  expect_status 0
  seconds=$(sed -nE 's/.* in ([0-9.]+) s on .*/\1/p' "$tmp/err")
  expect_between "$(folded_total . "$tmp/out")" 900000 "$(awk -v s="$seconds" 'BEGIN { print int(s * 1000000) + 100000 }')" \
    "microseconds of a wait in $seconds s"
fi

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
