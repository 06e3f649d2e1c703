"""A run with node as the load, started with some of its options. Shared by the scenarios with and without a perf map."""

import contextlib
import os
import shutil
import sys

import plain_run

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "script.js")


def measure(bench, tools, *options):
    if not shutil.which("node"):
        print("bench: there is no node here", file=sys.stderr)
        return {}
    with bench.running("node", *options, SCRIPT, ready_line=True) as process:
        try:
            return plain_run.measure(bench, [tool for tool in tools if tool.ends_on_large_programs])
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"/tmp/perf-{process.pid}.map")
