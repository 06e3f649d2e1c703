#!/bin/bash
# Clients that connect and read nothing, send nothing, or send a byte now and then have a bounded cost. The run
# continues without loss, memory does not grow, and other clients still get answers.
source "$(dirname "$0")/live.bash"

burn leaves 600/3
# Samples one process, because the history of other processes, which come and go, also takes memory.
begin_live -F 997 -p "$started"
memory() { sed -nE 's/^VmRSS:[^0-9]*([0-9]+) kB/\1/p' "/proc/$profiler/status"; }
# By now the profiler has read the messages that it gets at its start.
has_ticked() { ask /metrics && (($(metric profile_live_ticks_total) >= $1)); }
wait_until has_ticked 3
alone=$(memory)
port=${url%/} port=${port##*:}
python3 - "$port" >"$tmp/slow" <<'PYTHON' &
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
print("connected", flush=True)
for second in range(600):
    time.sleep(1)
    for client in hesitant:
        try:
            client.send(b"1")
        except OSError:
            pass
PYTHON
slow=$!
background+=("$slow")
wait_until test -s "$tmp/slow"
# A new client still gets an answer. live_slow_clients_measured.sh sets `measured` and checks how soon: the answer comes
# before the stuck clients are closed, after ten seconds.
ask /metrics ${measured:+-m 5}
expect_code 200
with_clients=$(memory)
((SANITIZED)) || expect_between $((with_clients - alone)) -1000000 60000 "kB that sixty such clients cost"
expect_equal "$(metric profile_live_skipped_value_total)" 0 "samples that were not shown"
expect_between "$(metric profile_live_clients)" 1 16 "clients that follow"

ticks_before=$(metric profile_live_ticks_total)
# As many clients as the server accepts, with request bodies that never end.
kill "$slow"
python3 - "$port" >"$tmp/torn" <<'PYTHON' &
import socket, sys, time
clients = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(32)]
for client in clients:
    client.send(b"POST /debug/pprof/symbol HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n")
torn = 0
for quarter in range(1000):
    time.sleep(0.25)
    for client in list(clients):
        try:
            client.send(b"0")
        except OSError:
            torn += 1
            clients.remove(client)
    if not clients:
        break
print(torn)
PYTHON
slow=$!
ask /metrics ${measured:+-m 5}
expect_code 200
wait "$slow"
expect_equal "$(<"$tmp/torn")" 32 "slow ones that were closed"
ask /metrics
ticks=$(metric profile_live_ticks_total)
((ticks > ticks_before)) || fail "no tick while slow ones were closed"
interrupt
expect_status 0
expect_balance
