"""The table by which stacks are walked through one large file: LLVM's library where it is installed, else the C library."""

import glob
import json
import subprocess

from figures import Metric
from harness import Failure, in_turn

FILES = (*sorted(glob.glob("/usr/lib/*/libLLVM-*.so.1")), *glob.glob("/usr/lib/*/libc.so.6"))
PLACE = 13
TITLE = f"table of {FILES[0].rpartition('/')[2] if FILES else 'no library'}"
METRICS = {
    "ms": Metric("made, ms of CPU time", 1),
    "ns_a_row": Metric("ns a row", 1),
    "bytes_a_row": Metric("bytes a row", 2),
    "memory_mb": Metric("memory of its maker (RSS), MB", 1),
}
EXTRA = {}


def measure_table(bench):
    if not FILES:
        raise Failure("no library to make a table of")
    ran = subprocess.run([bench.program("unwind_figures"), FILES[0]], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Failure(f"{FILES[0]} has no table")
    figures = json.loads(ran.stdout)
    return {metric: figures[metric] for metric in METRICS}


def measure(bench, tools):
    return in_turn([tool for tool in tools if tool.key == "profile"], lambda _: measure_table(bench))
