"""The cheapest system call in a loop: what each takes longer while system calls are counted. Ours watches the whole machine,
the others only the one process, which they start: that is how each is used. strace does its counting in a process of its own,
which the load waits for."""

import shutil

import slow_down
from tools import with_tracefs

PLACE = 14
TITLE = "getppid in a loop"
METRICS = slow_down.metrics("a call")
OPTIONS = {
    "profile": [],
    "profile_latency": ["--latency"],
    "profile_failed": ["--failed"],
    "profile_by_process": ["--by-process"],
    "profile_stacks": ["-f"],
}
EXTRA = {key: " ".join(["profile -e syscalls", *more]) for key, more in OPTIONS.items()} | {
    "strace": "strace -c",
    "perf_trace": "perf trace -s",
    "alone": "no tool",
}


def measure(bench, tools):
    load = [bench.program("getppid"), str(bench.seconds / 2)]
    strace = ["strace", "-c", "-o", "/dev/null", "--", *load]
    perf_trace = with_tracefs(["perf", "trace", "-s", "-o", "/dev/null", "--", *load])

    watched = {}
    for tool in tools:
        if tool.key == "profile":
            for key, more in OPTIONS.items():
                watched[key] = lambda more=more: slow_down.beside_ours(bench, load, "-e", "syscalls", *more)
        elif tool.key == "perf":
            watched["perf_trace"] = lambda: slow_down.time_of_one(bench, perf_trace)
    if shutil.which("strace"):
        watched["strace"] = lambda: slow_down.time_of_one(bench, strace)
    return slow_down.measure(bench, load, watched)
