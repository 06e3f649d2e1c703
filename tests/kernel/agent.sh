#!/bin/bash
# As a service: with the capabilities of the unit alone it samples, tells the service manager how it goes, reads its
# configuration again on SIGHUP, and goes on as it was if that is wrong.
source "$(dirname "$0")/live.bash"
need_command setpriv

cat >"$tmp/manager.py" <<'PYTHON'
import os, socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
while True:
    with open(sys.argv[2], "a") as told:
        told.write(manager.recv(4096).decode() + "\n")
PYTHON
start python3 "$tmp/manager.py" "$tmp/notify" "$tmp/told"
wait_until test -S "$tmp/notify"
touch "$tmp/told"
told() { (($(grep -c "^$1" "$tmp/told") >= $2)); }

burn leaves 600
configure() {
  printf '%s\n' "frequency=$1" 'serve=on' 'port=0' "pid=$started" >"$tmp/conf"
}
configure 199
allowed=$(sed -n 's/^CapabilityBoundingSet=//p' "$SOURCE_DIR/scripts/agent/profile-agent.service" | tr '\n' ' ' |
  tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ *$//; s/ /,/g')
export NOTIFY_SOCKET=$tmp/notify WATCHDOG_USEC=600000
ahead=(setpriv --no-new-privs "--bounding-set=-all,$allowed")
begin --config "$tmp/conf"
unset NOTIFY_SOCKET WATCHDOG_USEC
ahead=()
wait_until told READY=1 1
wait_until has_url
wait_until told WATCHDOG=1 3
fetch() {
  url=$(grep -aoE 'http://[^ ]+/' "$tmp/err" | tail -n 1)
  ask /metrics
  expect_code 200
}
has_sampled() {
  fetch
  (($(metric 'profile_samples_total{ended="recorded"}') > 20))
}
wait_until has_sampled

# A mistake in the file does not end a run that works.
printf 'frequency=often\n' >"$tmp/conf"
kill -HUP "$profiler"
wait_until grep -q 'SIGHUP: the run goes on as it was: -F often' "$tmp/err"
fetch
expect_equal "$(grep -c '^READY=1' "$tmp/told")" 1 "beginnings"

configure 499
kill -HUP "$profiler"
wait_until told RELOADING=1 1
grep -qE '^MONOTONIC_USEC=[0-9]+$' "$tmp/told" || fail "no time of the reload"
wait_until told READY=1 2
fetch
kill -0 "$profiler" || fail "it is another process"
has_rate() { grep -q '499' <(tr '\0' ' ' <"$tmp/answer"); }
ask /
has_rate || fail "the page does not show the new rate"

kill -TERM "$profiler"
finish
expect_status 0
wait_until told STOPPING=1 1
