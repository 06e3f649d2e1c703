#!/bin/bash
# A spool is of one run at a time, and has a bound: over it the oldest goes, and each sample is either sent, or waits, or
# counts as gone.
source "$(dirname "$0")/push.bash"
need_command flock

burn leaves 60/2
busy=$started
receive server
target=pyroscope+http://$address

# While a run uses it, another one does not.
begin -F 199 -p "$busy" --spool "$tmp/spool" --push "$target"
is_locked() { compgen -G "$tmp/spool/pyroscope*" >"$tmp/spools" && ! flock -n "$(<"$tmp/spools")" true; }
wait_until is_locked
profile --spool "$tmp/spool" --push "$target" 1
expect_status 1
expect_err "^profile: --spool $tmp/spool: another run uses it$"
kill -INT "$profiler"
finish

# The bound: each sample is either sent, or counted as gone.
stop_receiver
rm "$tmp/server/accepted"
burn many_stacks 60
others=()
for number in 1 2 3 4 5 6 7; do others+=(--push "parca+http://127.0.0.1:1/$number"); done
begin -F 4999 -p "$started" -i 0.1 --spool "$tmp/small" --spool-size 1M --push "$target" "${others[@]}"
is_full() { [[ -d $tmp/small ]] && ! compgen -G "$tmp/small/pyroscope*/*01-*" >/dev/null && compgen -G "$tmp/small/pyroscope*/*" >/dev/null; }
wait_until is_full
expect_between "$(find "$tmp/small" -name '*.request' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" 1 1048576 "bytes that wait"
receive server
kill -INT "$profiler"
finish
expect_status 1
expect_balance
lost=$(sed -nE 's/^([0-9]+) samples? w[a-z]+ not sent to pyroscope.*: too much was waiting$/\1/p' "$tmp/err")
((lost > 0)) || fail "nothing went over the bound"
waiting=$(sed -nE 's/^([0-9]+) samples? waits? in .* pyroscope.*/\1/p' "$tmp/err")
expect_taken server "$((recorded - lost - ${waiting:-0}))"
