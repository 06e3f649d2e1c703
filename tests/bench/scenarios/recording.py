"""Recordings: what a sample costs the recorder, on the disk and in the kernel, and how fast a part of a recording is shown.
perf's way is perf.data and perf script of a part of it.

Most samples of the loop have a stack that the file has already; the compilations have new ones, with their names. The cost
in the kernel is compared with a run that only counts: its samples stay in the kernel.
"""

import contextlib
import os
import shutil
import sqlite3
import time

from figures import Metric
from harness import Failure, in_turn, run_statistics, wait_until_sampling
from scenarios.compile_loop import COMPILERS, PROGRAMS
from tools import ours

HERTZ = 9999
DEPTH = 30
SECONDS = 20
MILLION = 1_000_000
PLACE = 12
TITLE = f"recording, {HERTZ} Hz on every CPU, depth {DEPTH}"
METRICS = {
    "cpu": Metric("own CPU time a million samples, s", 2),
    "samples": Metric("samples", 0),
    "lost": Metric("lost", 0),
    "bytes": Metric("bytes a sample", 1),
    "rss": Metric("peak memory (RSS), MB", 1),
    "part": Metric("a sixtieth as folded lines, s", 2),
    "kernel": Metric("ns a sample in the kernel", 0),
    "stack_bytes": Metric("compilations: bytes a new stack with its names", 0),
}
EXTRA = {"counting": "profile, counting"}


def recording(bench):
    return os.path.join(bench.scratch, "run.db")


def asked(path, sql):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchone()


def seconds_of(bench):
    return SECONDS if bench.seconds > 1 else 2


def shown_part(bench, command):
    return bench.timed(["sh", "-c", command])["wall_s"]


def record(bench):
    path = recording(bench)
    taken = bench.timed(["sh", "-c", f"{ours()} record -F {HERTZ} -o {path} {seconds_of(bench)} && echo done"])
    samples, lost = asked(path, "SELECT sum(recorded), sum(lost_ring_full + lost_spans_full + lost_unwritten + lost_unread) FROM account")
    if not samples:
        raise Failure("nothing was recorded")
    from_s = seconds_of(bench) / 2
    return {
        "cpu": taken["cpu_s"] / samples * MILLION, "samples": samples, "lost": lost, "rss": taken["rss_mb"],
        "bytes": os.path.getsize(path) / samples,
        "part": shown_part(bench, f"{ours()} report -q -f --from {from_s} --to {from_s + seconds_of(bench) / 60} {path}"),
    }


def perf_record(bench):
    path = os.path.join(bench.scratch, "perf.data")
    events = f"-e cpu-clock -k CLOCK_MONOTONIC -F {HERTZ} -a -g"
    taken = bench.timed(["sh", "-c", f"perf record -q {events} -o {path} -- sleep {seconds_of(bench)} && echo done"])
    script = f"perf script -i {path} -F comm,pid,tid,cpu,time,ip,sym"
    named = bench.timed(["sh", "-c", f"{script} | grep -c '^[^[:space:]]'"])
    with open(named["output"], encoding="ascii") as file:
        samples = int(file.read())
    return {
        "cpu": (taken["cpu_s"] + named["cpu_s"]) / samples * MILLION, "samples": samples,
        "rss": max(taken["rss_mb"], named["rss_mb"]), "bytes": os.path.getsize(path) / samples,
        "part": shown_part(bench, f"{script} --time 50%-51.67%"),
    }


def kernel_cost(bench, *options):
    path = os.path.join(bench.scratch, "cost.db")
    command = [ours(), "-q", "-F", str(HERTZ), *(["-o", path] if options else ["-f"])]
    with bench.running(*command) as process:
        wait_until_sampling(process)
        before = run_statistics(process)
        time.sleep(bench.seconds)
        after = run_statistics(process)
    return (after[0] - before[0]) / (after[1] - before[1])


def bytes_of_new_stack(bench):
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    path = recording(bench)
    with contextlib.ExitStack() as stack:
        for _ in bench.cpus:
            loop = bench.running(os.path.join(PROGRAMS, "compile_loop.sh"), PROGRAMS, bench.scratch, *compilers,
                                 ready_line=True)
            stack.enter_context(loop)
        bench.timed(["sh", "-c", f"{ours()} record -F 99 -o {path} {seconds_of(bench)} && echo done"])
    named = "'stacks', 'frames', 'binaries'"
    (used,) = asked(path, f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({named})")
    (stacks,) = asked(path, "SELECT count(DISTINCT stack) FROM samples")
    return used / stacks


def measure(bench, tools):
    with contextlib.ExitStack() as stack:
        stack.enter_context(bench.load("walk"))  # holds the switch of the statistics
        for cpu in bench.cpus:
            stack.enter_context(bench.load("chain", DEPTH, cpu))
        of_tools = [tool for tool in tools if tool.key in ("profile", "perf")]
        found = in_turn(of_tools, lambda tool: perf_record(bench) if tool.key == "perf" else record(bench))
        found.setdefault("profile", {})["kernel"] = kernel_cost(bench, "recording")
        found["counting"] = {"kernel": kernel_cost(bench)}
    found["profile"]["stack_bytes"] = bytes_of_new_stack(bench)
    return found
