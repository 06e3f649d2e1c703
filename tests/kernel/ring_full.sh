#!/bin/bash
# Events that come while the profiler does not read, and that the ring cannot hold, are lost and counted as lost. Each
# event is in one of the two counts.
# Promise 1: no sample is lost silently.
source "$(dirname "$0")/sampling.bash"
need_event SYSTEM:EVENT

events=300000 # of 100 bytes at least each; the ring buffer has 16 MB at most
mkfifo "$tmp/go"
# `asks` replaces the shell and begins on a signal. The profiler has begun before the shell, and is stopped by then.
begin --stream=folded -e syscalls:sys_enter_getppid --comm asks -o "$tmp/stream" -- \
  sh -c "echo \$\$ >'$tmp/pid'; read -r word <'$tmp/go'; exec '$WORKLOADS/asks' $events 600"
wait_until test -s "$tmp/pid"
is_stopped() { ! grep -hq '^State:[^T]*$' /proc/"$profiler"/task/*/status; }
has_ended() { grep -q '^State:.*Z' "/proc/$(<"$tmp/pid")/status"; }
kill -STOP "$profiler"
wait_until is_stopped
echo go >"$tmp/go"
wait_until has_ended
kill -CONT "$profiler"
finish
expect_status 0
expect_balance_with_losses
expect_err ' lost \([1-9][0-9]* ring buffer full\)'
expect_equal $((recorded + lost)) $events "events in the account"
expect_equal "$(grep -c ' asks ' "$tmp/stream")" "$recorded" "events in the stream"
# The maps had room: it is not they that must be larger.
expect_no_err 'more room'
expect_err 'faster than the ring buffer was read'
