"""What the timeline costs a process on a machine of 500 and of 20,000, in a simulated /proc: nothing may grow with a square."""

import json
import subprocess

from figures import Metric
from harness import Failure, in_turn

FEW, MANY = 500, 20_000
PLACE = 15
TITLE = f"{MANY:,} simulated processes of 100 mappings"
METRICS = {
    "scan_us": Metric("read at the start, µs a process", 1),
    "kept_kb": Metric("kept, KB a process", 2),
    "lookup_us": Metric("an address looked up, µs", 3),
    "child_us": Metric("a child that runs a program, µs", 1),
    "forget_us": Metric("forgotten, µs a process", 1),
    "growth": Metric("the largest of these against few processes", 2),
}
EXTRA = {}


def figures_of(bench, count):
    ran = subprocess.run([bench.program("scale_figures"), str(count)], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Failure(f"scale_figures {count}: status {ran.returncode}")
    return json.loads(ran.stdout)


def measure_scale(bench):
    few, many = figures_of(bench, FEW), figures_of(bench, MANY)
    return {**many, "growth": max(many[name] / few[name] for name in many)}


def measure(bench, tools):
    return in_turn([tool for tool in tools if tool.key == "profile"], lambda _: measure_scale(bench))
