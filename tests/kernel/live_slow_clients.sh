#!/bin/bash
# Clients that connect and read nothing, or say nothing, or a byte now and then, cost a bounded amount: the run goes on, loses nothing,
# and its memory does not grow with them.
source "$(dirname "$0")/live.bash"

burn leaves 60
begin_live -F 997
began=$SECONDS
memory() { sed -nE 's/^VmRSS:[^0-9]*([0-9]+) kB/\1/p' "/proc/$profiler/status"; }
sleep 3
alone=$(memory)
port=${url%/} port=${port##*:}
python3 - "$port" <<'PYTHON' &
import socket, sys, time
port = int(sys.argv[1])
clients, hesitant = [], []
for number in range(60):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    if number % 3 == 0:
        client.send(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    if number % 3 == 1:
        client.send(b"GET /metrics HTTP/1.1\r\nHost: 127.")
        hesitant.append(client)
    clients.append(client)
for second in range(60):
    time.sleep(1)
    for client in hesitant:
        try:
            client.send(b"1")
        except OSError:
            pass
PYTHON
background+=($!)
# Only so many connections are accepted; the others wait until ten seconds later those are closed that did not get on.
sleep 24
with_clients=$(memory)
((SANITIZED)) || expect_between $((with_clients - alone)) -20000 60000 "kB that sixty such clients cost"
# There is room again.
ask /healthz
expect_code 200
ask /metrics
expect_code 200
expect_equal "$(metric profile_live_skipped_value_total)" 0 "samples that were not shown"
expect_between "$(metric profile_live_clients)" 1 16 "clients that follow"
ticks=$(metric profile_live_ticks_total)
expect_between "$ticks" $(((SECONDS - began) / 2)) $((SECONDS - began + 2)) "ticks in $((SECONDS - began)) s"
interrupt
expect_status 0
expect_balance
expect_between "$took" 0 2000000 "microseconds until it had ended"
