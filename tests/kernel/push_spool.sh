#!/bin/bash
# With --spool nothing is lost while the server is away, nor when the profiler is killed meanwhile: what it was given
# comes in its order, and once.
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
sample -F 199 -p "$busy" -i 0.2 --spool "$tmp/spool" --push "$target" 0.6
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
