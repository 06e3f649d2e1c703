#!/usr/bin/env python3
"""Follows the events of the live page as its script does, and checks that each fits what came before it.

live_client.py URL TICKS: until so many have come, or the run ends; then prints one line a figure:
    ticks N | ms FROM THE FIRST TO THE LAST | ended yes/no | unit UNIT | first PROCESS (PID) VALUE | last PROCESS (PID) VALUE
where first is what the first event told of the run up to then, and last is that and all ticks behind it.
"""
import http.client
import json
import sys
import urllib.parse


class Table:
    def __init__(self, data):
        self.table_version = data["table_version"]
        self.strings, self.frames, self.owners, self.nodes = [], [], [], []
        self.total = {}
        self.append(data)
        self.add(data["total"])
        recent = sum(sum(tick["cells"]["value"]) for tick in data["ticks"])
        if recent > sum(self.total.values()):
            sys.exit(f"the ticks are {recent}, more than the total")

    def append(self, data):
        columns = [len(column) for part in ("frames", "owners", "nodes") for column in data[part].values()]
        if any(type(text) is not str for text in data["strings"]) or len(columns) != 12:
            sys.exit("the table is not what it should be")
        self.strings += data["strings"]
        self.frames += [self.strings[name] for name in data["frames"]["name"]]
        owners = data["owners"]
        for process, pid, thread, tid, cpu in zip(*(owners[c] for c in ("process", "pid", "thread", "tid", "cpu"))):
            self.owners.append((self.strings[process], pid, self.strings[thread], tid, cpu))
        for parent, frame in zip(data["nodes"]["parent"], data["nodes"]["frame"]):
            if not -1 <= parent < len(self.nodes) or not 0 <= frame < len(self.frames):
                sys.exit(f"node {len(self.nodes)}: parent {parent}, frame {frame}")
            self.nodes.append((parent, frame))

    def stack(self, node):
        names = []
        while node >= 0:
            names.append(self.frames[self.nodes[node][1]])
            node = self.nodes[node][0]
        return tuple(names)

    def add(self, cells):
        for owner, node, value in zip(cells["owner"], cells["node"], cells["value"]):
            key = self.owners[owner], self.stack(node)
            self.total[key] = self.total.get(key, 0) + value

    def by_process(self):
        sums = {}
        for (owner, _), value in self.total.items():
            sums[owner[:2]] = sums.get(owner[:2], 0) + value
        return sums


def events(url):
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    connection.request("GET", where.path + "events", headers={"Accept": "text/event-stream"})
    answer = connection.getresponse()
    if answer.status != 200 or answer.headers["Content-Type"] != "text/event-stream":
        sys.exit(f"status {answer.status}, {answer.headers['Content-Type']}")
    event = {}
    for line in answer:
        line = line.decode().rstrip("\n")
        if line and not line.startswith(":"):
            field, value = line.split(": ", 1)
            event[field] = value
        elif event:
            if event.keys() != {"event", "id", "data"}:
                sys.exit(f"an event of {sorted(event)}")
            yield event["event"], json.loads(event["data"])
            event = {}


def main():
    url, wanted = sys.argv[1], int(sys.argv[2])
    table, times, ended, first, unit = None, [], False, {}, ""
    for kind, data in events(url):
        if kind in ("hello", "reset"):
            table, unit = Table(data), data["run"]["unit"]
            first = first or table.by_process()
        elif kind == "tick":
            if data["table_version"] != table.table_version or data["t"] <= max(times, default=0):
                sys.exit(f"a tick of version {data['table_version']} at {data['t']} after {times}")
            times.append(data["t"])
            table.append(data)
            table.add(data["cells"])
            if len(times) == wanted:
                break
        elif kind == "end":
            ended = True
    print("ticks", len(times))
    print("ms", times[-1] - times[0] if times else 0)
    print("ended", "yes" if ended else "no")
    print("unit", unit)
    for when, sums in (("first", first), ("last", table.by_process())):
        for (process, pid), value in sorted(sums.items()):
            print(f"{when} {process} ({pid}) {value}")


main()
