"""node that writes a perf map, which names the code it compiles at run time."""

import node
import plain_run

PLACE = 8
TITLE = "node --perf-basic-prof"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    return node.measure(bench, tools, "--perf-basic-prof")
