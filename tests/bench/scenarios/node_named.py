"""node that writes a perf map, which names the code it compiles at run time."""

import os

import node
import plain_run

PLACE = 8
TITLE = "node --perf-basic-prof"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    # It writes a log where it runs, if nobody says otherwise.
    log = os.path.join(bench.scratch, "v8.log")
    return node.measure(bench, tools, "--perf-basic-prof", "--no-logfile-per-isolate", f"--logfile={log}")
