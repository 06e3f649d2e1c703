#!/bin/bash
# With --spool nothing is lost while the server is away, nor when the profiler is killed meanwhile: what it was given
# comes in its order, and once. Over the bound the oldest goes, and counts.
source "$(dirname "$0")/push.bash"

burn leaves 60/2
busy=$started
# spooled : prints the samples of the requests that wait.
spooled() { find "$tmp/spool" -name '*.request' 2>/dev/null | sed -nE 's/.*-([0-9]+)\.request$/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'; }
has_spooled() { (($(spooled) > $1)); }

# The server is away when the run begins, and comes back.
receive server
stop_receiver
target=pyroscope+http://$address
begin -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --push "$target"
wait_until has_spooled 0
receive server
wait_until are_accepted server 3
stop_receiver
first=$(accepted server | wc -l)
wait_until has_spooled 0
receive server
wait_until are_accepted server "$((first + 2))"
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_taken server "$recorded"
expect_equal "$(grep -c 'cannot connect' "$tmp/err")" 1 "lines about it"
expect_equal "$(spooled)" 0 "samples that still wait"
expect_equal "$(find "$tmp/spool" -mindepth 1 -maxdepth 1 -printf '%m %U\n')" '700 2130706435' "mode and owner of the spool"

# It is away in a whole run, and in one that is killed; the next run sends what both have left, the oldest first.
stop_receiver
sample -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --push "$target" 1
expect_equal "$(spooled)" "$recorded" "samples that wait"
expect_err "^$recorded samples wait in $tmp/spool for a run that pushes to "
before=$recorded
begin -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --push "$target"
wait_until has_spooled "$before"
kill -KILL "$profiler"
finish 2>"$tmp/killed"
left=$(spooled)
rm -r "$tmp/server/accepted"
receive server
profile -F 199 -p "$busy" --spool "$tmp/spool" --push "$target" 0.5
expect_status 0
expect_balance
expect_taken server "$((left + recorded))"
accepted server | cut -d ' ' -f 1 >"$tmp/order"
for number in $(<"$tmp/order"); do printf '%s\n' "$(interval_of "$tmp/server/$number.pb.gz")"; done >"$tmp/times"
sort -cn "$tmp/times" || fail "they did not come in the order of time"

# While a run uses it, another one does not.
begin -F 199 -p "$busy" --spool "$tmp/spool" --push "$target"
find_lock() { ! flock -n "$tmp/spool"/pyroscope* true; }
wait_until find_lock
profile --spool "$tmp/spool" --push "$target" 1
expect_status 1
expect_err "^profile: --spool $tmp/spool: another run uses it$"
kill -INT "$profiler"
finish

# The bound: each sample is either sent, or counted as gone.
stop_receiver
rm -r "$tmp/server/accepted"
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
