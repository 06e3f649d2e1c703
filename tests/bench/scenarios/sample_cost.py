"""What a sample costs inside the kernel: run time over runs of each tool's BPF program, as the kernel counts them, beside
programs that do nothing but walk the two stacks.

One after the other, and in small steps: programs that sample at the same time find the caches warm or cold by the order of
their ticks, which changes the figure by a third. A load is pinned to every CPU, so that no tool's figure is thinned by
idle samples, which some programs leave early.
"""

import contextlib
import time

from figures import Metric
from harness import run_statistics, wait_until_sampling
from tools import Request

HERTZ = 999
DEPTHS = (10, 100)
PLACE = 1
TITLE = f"a C loop on every CPU, {HERTZ} Hz"
METRICS = {f"depth_{depth}": Metric(f"ns a sample at depth {depth}", 0) for depth in DEPTHS}
EXTRA = {
    "walk_stackid": "the two walks alone, bpf_get_stackid",
    "walk_stack": "the two walks alone, bpf_get_stack",
    "walk_nothing": "an empty program",
}


def measure(bench, tools):
    found = {}
    for depth in DEPTHS:
        for key, cost in costs(bench, tools, depth).items():
            found.setdefault(key, {})[f"depth_{depth}"] = cost
    return found


def costs(bench, tools, depth):
    # The walks run next to our run, because their ratio to it matters most.
    at = next((place for place, tool in enumerate(tools) if tool.key == "profile"), 0) + 1
    order = [*tools[:at], *EXTRA, *tools[at:]]
    with contextlib.ExitStack() as stack:
        stack.enter_context(bench.load("walk"))  # holds the switch of the statistics
        for cpu in bench.cpus:
            stack.enter_context(bench.load("chain", depth, cpu))
        walks = {key: bench.load("walk", bench.program("walk.bpf.o"), key, HERTZ) for key in EXTRA}
        found = {}
        for item in order:
            if item in walks:
                found[item] = cost(bench, walks[item])
            elif item.uses_bpf:
                found[item.key] = cost(bench, bench.running(*item.command(Request(HERTZ, None, bench.scratch))))
    return found


def cost(bench, sampling):
    with sampling as process:
        wait_until_sampling(process)
        before = run_statistics(process)
        time.sleep(bench.seconds / 2)
        after = run_statistics(process)
    return (after[0] - before[0]) / (after[1] - before[1])
