"""Two processes that hand a byte back and forth through pipes: what a round, which is two hand-overs, takes longer with every
switch looked at. On one CPU each hand-over is one switch from the one to the other. On two it is a switch to the idle task
and one from it, and what is added lies partly where the CPU would have waited anyway; told besides, it needs a quiet
machine. Ours takes both stacks of every wait, perf sched none."""

import os

import slow_down
from tools import with_tracefs

DEPTH = 10
APART = "apart_"
PLACE = 13
TITLE = f"pipe ping-pong, both on one CPU, depth {DEPTH}"
METRICS = slow_down.metrics("a round") | slow_down.metrics("a round on two CPUs", APART)
OPTIONS = {
    "profile": [],
    "profile_user": ["-U"],
    "profile_kernel": ["-K"],
    "profile_long": ["--min-block-us", "1000000"],
}
EXTRA = {
    "profile": "profile -e off-cpu",
    "profile_user": "profile -e off-cpu -U",
    "profile_kernel": "profile -e off-cpu -K",
    "profile_long": "profile -e off-cpu --min-block-us 1000000",
    "perf_sched": "perf sched record",
    "alone": "no tool",
}


def measure(bench, tools):
    found = figures(bench, tools, bench.cpus[0], bench.cpus[0], OPTIONS)
    if len(bench.cpus) > 1:
        apart = figures(bench, tools, bench.cpus[0], bench.cpus[1], {"profile": []})
        for key, values in apart.items():
            found.setdefault(key, {}).update({APART + metric: value for metric, value in values.items()})
    return found


def figures(bench, tools, cpu, other_cpu, options):
    load = [bench.program("ping_pong"), str(DEPTH), str(cpu), str(other_cpu), str(bench.seconds / 2)]
    data = os.path.join(bench.scratch, "sched.data")
    record = with_tracefs(["perf", "sched", "record", "-o", data, "--", *load])

    watched = {}
    for tool in tools:
        if tool.key == "profile":
            for key, more in options.items():
                watched[key] = lambda more=more: slow_down.beside_ours(bench, load, "-f", "-e", "off-cpu", *more)
        elif tool.key == "perf":
            watched["perf_sched"] = lambda: slow_down.time_of_one(bench, record)
    return slow_down.measure(bench, load, watched)
