#!/bin/bash
# Runs of every kind, each one second long, end in time beside a file system that does not answer.
source "$(dirname "$0")/served.bash"
need_user_namespaces
need_event off-cpu
need_event syscalls
need_command curl

burn leaves 600/3
leaves=$started
serve -h OPEN -o -u 65534 -- "$tmp/place" served
hang

beside "$leaves" "$served" -- -F 49
expect_others_named

in_balance=expect_balance_with_losses
in_time 1 -e syscalls 1

in_time 1 -f -e off-cpu 1
in_balance=expect_balance

# The run of a command does not wait for files that it would never report.
in_time 1 -f -F 499 -- "$WORKLOADS/leaves" 0.5cpu
expect_others_named
expect_absent '^served;'

beside "$leaves" "$served" -- -F 499 -i 0.3
expect_others_named

# --- a page that is polled throughout: it is healthy, except for moments in which the machine gives it no CPU
ahead=("${precedence[@]}")
begin -T -R 0 -i 1
wait_until grep -aqE 'http://[^ ]+:[0-9]+/' "$tmp/err"
url=$(grep -aoEm 1 'http://[^ ]+/' "$tmp/err")
for ((asked = 0; asked < 20; asked++)); do wait_until curl -sf -m 60 -o "$tmp/answer" "${url}healthz"; done
curl -s -m 60 -o "$tmp/metrics" "${url}metrics"
began_us=${EPOCHREALTIME/./}
kill -INT "$profiler"
finish
took=$((${EPOCHREALTIME/./} - began_us))
expect_status 0
expect_balance
expect_between "$took" 0 $((60000000 * slowness * (1 + SANITIZED))) "microseconds until the run ended"
stop_serving

# --- a blocked thread, whose stack lies on the file system that does not answer
truncate -s 256K "$tmp/files/stack"
serve -h READ -o -u 65534 -- "$tmp/place" parked "$tmp/place/stack"
wait_until grep -q '^parked' "$said"
hang
in_time 1 -f -e off-cpu -p "$served" 1
expect_present '^parked;'
in_balance=expect_balance_with_losses
in_time 0.5 -f -e off-cpu -i 0.2 0.5
in_balance=expect_balance
in_time 0.5 -f -e wall -p "$served" 0.5
