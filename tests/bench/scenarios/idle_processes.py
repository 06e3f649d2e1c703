"""The same loop among processes that do nothing: whoever looks at all of them pays for it."""

import plain_run

COUNT = 300
PLACE = 3
TITLE = f"one C loop and {COUNT} idle processes"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    with bench.load("sleepers", COUNT), bench.load("chain", 10):
        return plain_run.measure(bench, tools)
