"""Every sample by itself: what it costs to have a million of them as text, with names. perf's way is a file of records and then
perf script, here with the fields that our form `stacks` has. The samples are counted in what each wrote. The interval is
longer than elsewhere, for a stream is something that goes on: what a start costs should not be most of it."""

import os
import re
import sys
from contextlib import ExitStack

from figures import Metric
from harness import Failure, in_turn
from tools import ours

HERTZ = 4999
DEPTH = 30
SECONDS = 20
MILLION = 1_000_000
PLACE = 11
TITLE = f"stream of stacks, {HERTZ} Hz on every CPU, depth {DEPTH}"
METRICS = {
    "cpu": Metric("own CPU time a million samples, s", 2),
    "samples": Metric("samples", 0),
    "rss": Metric("peak memory (RSS), MB", 1),
}
FORMS = ("table", "folded", "json")
EXTRA = {f"profile_{form}": f"profile, --stream={form}" for form in FORMS}


def profile_command(form, seconds):
    return [ours(), "-q", f"--stream={form}", "-F", str(HERTZ), str(seconds)]


def interval(bench):
    return SECONDS if bench.seconds > 1 else 1


def perf_command(bench):
    data = os.path.join(bench.scratch, "perf.data")
    record = f"perf record -q -e cpu-clock -k CLOCK_MONOTONIC -F {HERTZ} -a -g -o {data} -- sleep {interval(bench)}"
    return ["sh", "-c", f"{record} && perf script -i {data} -F comm,pid,tid,cpu,time,ip,sym,symoff"]


# The beginning of a sample's line. perf's frames are indented.
SAMPLE = {
    "stacks": re.compile(rb"\[\d+\.\d{9}\] COMM: "),
    "table": re.compile(rb"\d{19} "),
    "folded": re.compile(rb"\d{19} "),
    "json": re.compile(rb"\{"),
    "perf": re.compile(rb"\S"),
}


def samples_in(path, begin):
    with open(path, "rb") as file:
        return sum(begin.match(line) is not None for line in file)


def cost(bench, command, begin):
    # Each tool gets a load of its own, so that all find the machine in the same state.
    with ExitStack() as stack:
        for cpu in bench.cpus:
            stack.enter_context(bench.load("chain", DEPTH, cpu))
        taken = bench.timed(command)
    samples = samples_in(taken["output"], begin)
    if samples == 0:
        raise Failure(f"{command[0]} wrote no sample")
    return {"cpu": taken["cpu_s"] / samples * MILLION, "samples": samples, "rss": taken["rss_mb"]}


def measure(bench, tools):
    def measure_tool(tool):
        if tool.key == "perf":
            return cost(bench, perf_command(bench), SAMPLE["perf"])
        return cost(bench, profile_command("stacks", interval(bench)), SAMPLE["stacks"])

    found = in_turn([tool for tool in tools if tool.key in ("profile", "perf")], measure_tool)
    for form in FORMS:
        try:
            found[f"profile_{form}"] = cost(bench, profile_command(form, interval(bench)), SAMPLE[form])
        except Failure as failure:
            print(f"bench: {failure}", file=sys.stderr)
    return found
