"""The least a profiler can be asked for: one C loop with frame pointers and symbols."""

import plain_run

PLACE = 2
TITLE = "one C loop"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    with bench.load("chain", 10):
        return plain_run.measure(bench, tools)
