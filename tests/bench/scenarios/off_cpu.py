"""What a context switch costs inside the kernel: run time over runs of the BPF program that looks at every switch, as the kernel
counts them. Two processes on each CPU wait for each other all the time, and nearly all switches are between the two; every
switch takes the stacks of one thread and counts the wait of another. One tool after the other, for the same load.
"""

import contextlib
import sys
import time

from figures import Metric
from harness import TRACEPOINT_PROGRAMS, Failure, run_statistics, wait_until_sampling
from tools import ours, with_tracefs

DEPTHS = (10, 50)
PLACE = 12
TITLE = "pipe ping-pong on every CPU"
METRICS = {f"depth_{depth}": Metric(f"ns a switch at depth {depth}", 0) for depth in DEPTHS}
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
    "bpftrace": "bpftrace, its best one-liner",
}

# The cheapest way in bpftrace 0.17 to the same answer: the blocked time by process, stacks and name when the thread leaves
# its CPU. One tuple keeps all of it until the thread returns: one update and one look-up instead of four of each.
# The event of tracefs already has the ids, and the clock is read once. The thread's next switch overwrites the entry, so no
# deletion is needed. But a new thread inherits the last wait of a dead one with the same id, which ours prevents.
# The end prints nothing, because naming is not measured here and can take bpftrace minutes.
ONE_LINER = """
tracepoint:sched:sched_switch {
  $now = nsecs;
  if (args->prev_pid) { @left[args->prev_pid] = ($now, ustack, kstack, comm); }
  if (args->next_pid) {
    $left = @left[args->next_pid];
    if ($left.0) { @blocked_ns[$left.1, $left.2, $left.3] = sum($now - $left.0); }
  }
}
END { clear(@left); clear(@blocked_ns); }
"""


def measure(bench, tools):
    found = {}
    for depth in DEPTHS:
        for key, cost in costs(bench, tools, depth).items():
            found.setdefault(key, {})[f"depth_{depth}"] = cost
    return found


def costs(bench, tools, depth):
    found = {}
    with contextlib.ExitStack() as stack:
        stack.enter_context(bench.load("walk"))  # holds the switch of the statistics
        for cpu in bench.cpus:
            stack.enter_context(bench.load("ping_pong", depth, cpu, cpu))
        for key, command in commands(tools):
            try:
                found[key] = cost(bench, command)
            except Failure as failure:
                print(f"bench: {failure}", file=sys.stderr)
    return found


def commands(tools):
    for tool in tools:
        if tool.key == "profile":
            yield from ((key, [ours(), "-q", "-f", "-e", "off-cpu", *more]) for key, more in OPTIONS.items())
        elif tool.key == "bpftrace":
            yield "bpftrace", with_tracefs(["bpftrace", "-e", ONE_LINER])


def cost(bench, command):
    with bench.running(*command) as process:
        wait_until_sampling(process, TRACEPOINT_PROGRAMS)
        before = run_statistics(process, TRACEPOINT_PROGRAMS)
        time.sleep(bench.seconds / 2)
        after = run_statistics(process, TRACEPOINT_PROGRAMS)
    return (after[0] - before[0]) / (after[1] - before[1])
