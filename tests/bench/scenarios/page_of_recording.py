"""The page of a recording of an hour, two CPUs at 99 Hz: how large it is, how long until the strip of time can be used, and how
long until the graph shows another part of the time, in headless Chromium by the clock. Processes and stacks are those of a
recording of compilations, whose samples are spread over the hour. A second row has a million samples."""

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
from dataclasses import replace

from figures import Metric
from harness import Failure, in_turn
from scenarios.compile_loop import COMPILERS, PROGRAMS
from scenarios.page import BROWSER, install_modules
from tools import ours

RECORDED_SECONDS = 20
HOUR_SECONDS = 3600
HOUR_SAMPLES = HOUR_SECONDS * 2 * 99
MILLION = 1_000_000
PLACE = 13
TITLE = f"page of a recording of an hour, {HOUR_SAMPLES:,} samples, in headless Chromium"
METRICS = {
    "write": Metric("written from the recording, s", 2),
    "megabytes": Metric("its size, MB", 1),
    "first": Metric("first paint, ms", 0),
    "read": Metric("all samples are read, ms", 0),
    "change": Metric("another part of the time, ms", 0),
}
EXTRA = {"million": "profile, a million samples"}


def spread(path, samples):
    """Makes that many samples of those that are there over an hour, in any order, so that nothing is packed better than it
    would be."""
    numbers = random.Random(1)
    with contextlib.closing(sqlite3.connect(path)) as database:
        taken = database.execute("SELECT thread, cpu, stack, value, event FROM samples ORDER BY id").fetchall()
        if not taken:
            raise Failure("nothing was recorded")
        step_us = HOUR_SECONDS * 1_000_000 / samples
        database.execute("DELETE FROM samples")
        rows = ((int(i * step_us + numbers.random() * step_us) * 256 + i % 256, *numbers.choice(taken)) for i in range(samples))
        database.executemany("INSERT INTO samples VALUES(?, ?, ?, ?, ?, ?)", rows)
        database.execute("UPDATE runs SET duration_us = ?", (HOUR_SECONDS * 1_000_000,))
        database.execute("UPDATE account SET recorded = 0, taken = 0, idle = 0, taken_idle = 0, recorded_by_ring = 0, filtered = 0")
        database.execute("UPDATE account SET recorded = ?, taken = ? WHERE rowid = (SELECT min(rowid) FROM account)", (samples, samples))
        database.commit()


def measure_page(bench, samples):
    path = os.path.join(bench.scratch, "hour.db")
    page = os.path.join(bench.scratch, "hour.html")
    results = os.path.join(bench.scratch, "hour.json")
    for old in (path, page):
        if os.path.exists(old):
            os.remove(old)
    seconds = RECORDED_SECONDS if bench.seconds > 1 else 2
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    with contextlib.ExitStack() as stack:
        for _ in bench.cpus:
            loop = bench.running(os.path.join(PROGRAMS, "compile_loop.sh"), PROGRAMS, bench.scratch, *compilers, ready_line=True)
            stack.enter_context(loop)
        subprocess.run([ours(), "record", "-q", "-F", "199", "-o", path, str(seconds)], check=True)
    spread(path, samples)
    written = bench.timed(["sh", "-c", f"{ours()} report -q -o {page} {path} && echo done"])
    environment = dict(os.environ, PAGE=page, FIGURES=results, NODE_PATH=install_modules(os.path.join(bench.scratch, "browser")))
    ran = subprocess.run(["node", os.path.join(BROWSER, "times_large.js")], env=environment, capture_output=True, text=True,
                         check=False)
    if ran.returncode != 0:
        raise Failure(f"the page was not measured: {ran.stderr[-500:]}")
    with open(results, encoding="utf-8") as file:
        figures = json.load(file)
    return {"write": written["cpu_s"], "megabytes": figures["megabytes"], "first": figures["firstPaint"], "read": figures["read"],
            "change": figures["change"]}


def measure(bench, tools):
    samples_of = {"profile": HOUR_SAMPLES, "million": MILLION}
    rows = [replace(tool, key=key) for tool in tools if tool.key == "profile" for key in samples_of]
    return in_turn(rows, lambda tool: measure_page(bench, samples_of[tool.key]))
