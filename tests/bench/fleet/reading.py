"""Reports of an hour of a service, and what they take."""

import os
import subprocess
import time
from dataclasses import dataclass

from server import store_url
from simulation import HOUR_S, host_name


@dataclass
class Reading:
    wall_s: float
    cpu_s: float  # of the reader
    server_s: float  # CPU time
    memory_mb: float  # the reader's largest process


def read_once(server, command):
    before, begun = server.cpu_s(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    words = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return words.strip()
    wall_s = time.monotonic() - begun
    return Reading(wall_s, usage.ru_utime + usage.ru_stime, server.cpu_s() - before, usage.ru_maxrss / 1024)


def read(server, command, rounds):
    """The fastest of some; or what the command says against it."""
    readings = [read_once(server, command) for _ in range(rounds)]
    failures = [reading for reading in readings if isinstance(reading, str)]
    return failures[0] if failures else min(readings, key=lambda reading: reading.wall_s)


def clock(unix_s):
    return time.strftime("%F %T", time.localtime(unix_s))


def reports(server, simulation, database, service, scratch, rounds):
    """{what is asked: Reading} of an hour of a service."""
    begin, end = simulation.begin_s, simulation.begin_s + HOUR_S
    half = begin + HOUR_S // 2
    url, profile = store_url(server, database), os.environ["PROFILE"]
    of_hour = [profile, "report", "-q", url, "--service", service, "--from", clock(begin), "--to", clock(end)]
    page = os.path.join(scratch, "page.html")
    folded = os.path.join(scratch, "report.folded")
    where = f"WHERE service = '{service}' AND time >= toDateTime({begin}) AND time < toDateTime({end})"
    of_service = f"WHERE service = '{service}'"
    leaves = (f"SELECT stack, frame, samples FROM (SELECT stack, sum(samples) AS samples FROM samples {where} GROUP BY stack) "
              f"ANY LEFT JOIN (SELECT stack, frames[-1] AS frame FROM stacks {of_service}) USING stack")
    sql = (f"SELECT name, sum(samples) AS self FROM ({leaves}) ANY LEFT JOIN (SELECT frame, name FROM frames {of_service}) "
           "USING frame GROUP BY name ORDER BY self DESC LIMIT 20")
    curl = ["curl", "-sS", "--fail-with-body", f"http://127.0.0.1:{server.port}/?database={database}", "--data-binary", sql]
    return {
        "folded lines": read(server, [*of_hour, "-o", folded], rounds),
        "page": read(server, [*of_hour, "-o", page], rounds),
        "page of a host": read(server, [*of_hour, "-o", page, "--host", host_name(1)], rounds),
        "diff of two halves": read(server, [profile, "diff", "-q", url, "--service", service,
                                            "--a", f"{clock(begin)}..{clock(half)}",
                                            "--b", f"{clock(half)}..{clock(end)}"], rounds),
        "SQL: 20 hottest functions": read(server, curl, rounds),
    }
