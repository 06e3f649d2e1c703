#!/bin/bash
# Two hundred clients that say nothing and five hundred that follow the events, all at once, and again when they are
# closed: memory is bounded, no sample is lost, and other clients get their answers.
source "$(dirname "$0")/live.bash"

burn leaves 600/3
# Samples one process, because the history of other processes, which come and go, also takes memory.
begin_live -F 997 -p "$started"
memory() { status_kb VmRSS; }
status_kb() { sed -nE "s/^$1:[^0-9]*([0-9]+) kB/\1/p" "/proc/$profiler/status"; }
has_ticked() { ask /metrics && (($(metric profile_live_ticks_total) >= $1)); }
wait_until has_ticked 3
alone=$(memory)
port=${url%/} port=${port##*:}
# Each client that the server closes comes again after a second.
python3 - "$port" "$tmp/crowd" <<'PYTHON' &
import os, resource, selectors, socket, sys, time
port, path = int(sys.argv[1]), sys.argv[2]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
kinds = [b""] * 200 + [b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * 500
chosen, again, events, closed, most = selectors.DefaultSelector(), [(0, kind) for kind in kinds], 0, 0, 0
ends = time.monotonic() + 600
while time.monotonic() < ends:
    due = [kind for when, kind in again if when <= time.monotonic()]
    again = again[len(due):]
    for kind in due:
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", port))
        chosen.register(client, selectors.EVENT_READ | (selectors.EVENT_WRITE if kind else 0), kind)
    most = max(most, len(chosen.get_map()))
    for key, what in chosen.select(0.1):
        client = key.fileobj
        try:
            if what & selectors.EVENT_WRITE:
                client.send(key.data)
                chosen.modify(client, selectors.EVENT_READ, key.data)
                continue
            data = client.recv(65536)
            events += data.count(b"\ndata:") + data.startswith(b"data:")
        except OSError:
            data = b""
        if not data:
            closed += 1
            chosen.unregister(client)
            client.close()
            again.append((time.monotonic() + 1, key.data))
    with open(path + ".new", "w") as file:
        file.write(f"{most} {events} {closed}\n")
    os.rename(path + ".new", path)
PYTHON
background+=("$!")
are_clients_there() { (($(cut -d ' ' -f 1 "$tmp/crowd" 2>/dev/null || echo 0) >= 600)); }
wait_until are_clients_there
ticks=$(metric profile_live_ticks_total)
most=0
answers=0
# has_answered TIMES TICKS : another client has got so many answers, the last of them so many ticks later. The crowd may
# take the place of a client, but not of all.
has_answered() {
  local now
  now=$(memory)
  ((now <= most)) || most=$now
  curl -sf -m 10 -o "$tmp/answer" "${url}metrics" || return 1
  ((++answers >= $1 && $(metric profile_live_ticks_total) >= ticks + $2))
}
wait_until has_answered 20 20
echo "clients at once, events, closed: $(cat "$tmp/crowd"); $alone kB alone, at most $most kB with them"
expect_between "$(cut -d ' ' -f 2 "$tmp/crowd")" 30 1000000000 "events that the crowd has got"
((SANITIZED)) || expect_between $((most - alone)) -1000000 15000 "kB that the crowd costs"
expect_equal "$(metric profile_live_skipped_value_total)" 0 "samples that were not shown"
interrupt
expect_status 0
expect_balance
