"""10,000 processes seen in one run, which share their files: what each of them adds to our memory. Ours alone: the others keep
no processes."""

import re
import subprocess

from figures import Metric
from harness import in_turn
from tools import ours

HERTZ = 999
FEW, MANY = 100, 10_000
PLACE = 9
TITLE = f"{MANY:,} processes in one run, {HERTZ} Hz"
METRICS = {
    "few": Metric(f"peak memory (RSS) with {FEW} processes, MB", 1),
    "many": Metric(f"with {MANY:,}, MB", 1),
    "growth": Metric("growth a process, KB", 2),
    "sampled": Metric("processes among the samples", 0),
}
EXTRA = {}


def sampled_processes(path):
    """Of the counted format: it tells processes of one name apart."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return len(set(re.findall(r"^    -  .*\((\d+)\)$", file.read(), re.MULTILINE)))


def measure(bench, tools):
    def run(count):
        crowd = [bench.program("crowd"), str(count)]
        taken = bench.timed([ours(), "-q", "-F", str(HERTZ)], meanwhile=lambda: subprocess.run(crowd, check=True))
        return taken["rss_mb"], sampled_processes(taken["output"])

    def measure_one(_):
        few, _ = run(FEW)
        many, sampled = run(MANY)
        return {"few": few, "many": many, "growth": (many - few) * 1024 / (MANY - FEW), "sampled": sampled}

    return in_turn([tool for tool in tools if tool.key == "profile"], measure_one)
