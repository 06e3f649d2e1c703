"""A ClickHouse server: what is asked of it, and what it costs."""

import http.client
import os
import subprocess
import sys
import threading
import time
import urllib.parse
from dataclasses import dataclass

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
PATIENCE_S = 600
TOO_MANY_PARTS = b"Code: 252"
MERGING_THREADS = ("BackgrProcPool", "BgSchPool", "MergeMutate", "BackgroundProc")


def say(text):
    print(f"fleet: {text}", file=sys.stderr, flush=True)


def cpu_s_of(stat):
    with open(stat, encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


@dataclass
class Cost:
    """What a phase has cost the server."""
    wall_s: float
    cpu_s: float
    merging_s: float  # of that, what the threads that merge parts have taken
    events: dict


class Server:
    def __init__(self, port, pid):
        self.port, self.pid = port, pid

    def ask(self, sql, database="default", body=b""):
        query = {"database": database, "max_memory_usage": "0"}
        if body:
            query["query"] = sql
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("POST", "/?" + urllib.parse.urlencode(query), body or sql.encode())
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"fleet: {sql[:200]}: {said[:400]}")
        return said.strip()

    def number(self, sql, database="default"):
        return int(self.ask(sql, database) or 0)

    def types(self, database):
        """{table: {column: type}} of a database."""
        found = {}
        rows = self.ask(f"SELECT table, name, type FROM system.columns WHERE database = '{database}' FORMAT TabSeparated")
        for table, name, of_type in (line.split("\t") for line in rows.splitlines()):
            found.setdefault(table, {})[name] = of_type
        return found

    def cpu_s(self):
        return cpu_s_of(f"/proc/{self.pid}/stat")

    def merging_s(self):
        """Threads that merge do not end."""
        total = 0
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{thread}/comm", encoding="ascii") as file:
                    if file.read().strip() in MERGING_THREADS:
                        total += cpu_s_of(f"/proc/{self.pid}/task/{thread}/stat")
            except OSError:
                continue  # ended
        return total

    def events(self):
        rows = self.ask("SELECT event, value FROM system.events FORMAT TabSeparated")
        return {event: int(value) for event, value in (line.split("\t") for line in rows.splitlines())}

    def settle(self, patience_s=90):
        """Waits until no parts are merged."""
        still, deadline = 0, time.monotonic() + patience_s
        while still < 4 and time.monotonic() < deadline:
            time.sleep(0.5)
            still = 0 if self.number("SELECT value FROM system.metrics WHERE metric = 'Merge'") else still + 1

    def costs(self):
        return time.monotonic(), self.cpu_s(), self.merging_s(), self.events()

    @staticmethod
    def between(before, after):
        events = {name: value - before[3].get(name, 0) for name, value in after[3].items()}
        return Cost(*(after[i] - before[i] for i in range(3)), events)

    def bytes_on_disk(self, database, table):
        return self.number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND "
                           f"database = '{database}' AND table = '{table}'")

    def parts(self, database):
        return self.number(f"SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts WHERE active AND "
                           f"database = '{database}' GROUP BY table, partition)")


class Senders:
    """Connections that send requests at the same time, each a host's after another's."""

    def __init__(self, server, count):
        self.server, self.count = server, count
        self.lock = threading.Lock()
        self.bytes = self.rows = self.inserts = self.delays = 0
        self.failure = None

    def send(self, jobs):
        """`jobs`: an iterator over lists of (path, body, bytes on the wire, rows), those of a host's tick."""
        def work():
            while not self.failure:
                with self.lock:
                    job = next(jobs, None)
                if job is None:
                    return
                try:
                    self.send_tick(job())
                except Exception as failure:  # pylint: disable=broad-except
                    self.failure = failure

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self.count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure:
            raise SystemExit(f"fleet: {self.failure}")

    def send_tick(self, requests):
        # An agent's connection ends between two ticks: the server keeps it for 3 seconds.
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE_S)
        for path, body, wire, rows in requests:
            delays = 0
            while True:
                connection.request("POST", path, body, {"Content-Encoding": "gzip"})
                answer = connection.getresponse()
                said = answer.read()
                if answer.status == 200 and not said:
                    break
                if not said.startswith(TOO_MANY_PARTS):
                    raise SystemExit(f"{path[:200]}: {said[:400]}")
                delays += 1
                time.sleep(1)  # as an agent does
            with self.lock:
                self.bytes += wire
                self.rows += rows
                self.inserts += 1
                self.delays += delays
        connection.close()


def make_database(server, name):
    server.ask(f"DROP DATABASE IF EXISTS {name}")
    server.ask(f"CREATE DATABASE {name}")
    subprocess.run([os.environ["PROFILE"], "store", "init", "-q", store_url(server, name)], check=True,
                   stderr=subprocess.DEVNULL)


def store_url(server, database):
    return f"clickhouse+http://127.0.0.1:{server.port}/{database}"
