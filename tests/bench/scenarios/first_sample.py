"""From exec to the first sample: what happens earlier is never seen. A tool's BPF program is asked for its run count until it
has run; perf, which has none, tells the time of its first sample itself. The first tick comes a period after the start."""

import os
import subprocess

from figures import Metric
from harness import Failure, in_turn
from tools import Request

HERTZ = 999
PLACE = 4
TITLE = f"one C loop, {HERTZ} Hz"
METRICS = {"first": Metric("exec to first sample, ms", 1)}
EXTRA = {}


def first_of_perf(bench, request):
    data = os.path.join(bench.scratch, "perf.data")
    lines = subprocess.run(["perf", "script", "-i", data, "-F", "time"], capture_output=True, text=True, check=False)
    times = [float(line.strip().rstrip(":")) for line in lines.stdout.splitlines() if line.strip().endswith(":")]
    if not times:
        raise Failure(f"perf took no sample in {request.seconds} s")
    return min(times) * 1e9


def measure(bench, tools):
    def measure_one(tool):
        request = Request(HERTZ, 1, bench.scratch)
        taken = bench.timed(tool.command(request), first=tool.uses_bpf)
        first_ns = taken.get("first_ns") if tool.uses_bpf else first_of_perf(bench, request)
        if first_ns is None:
            raise Failure(f"{tool.name} took no sample in {request.seconds} s")
        return {"first": (first_ns - taken["started_ns"]) / 1e6}

    with bench.load("chain", 10):
        return in_turn(tools, measure_one)
