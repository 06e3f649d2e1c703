"""One plain run of a tool as people type it, its output going to a file: what they wait for and what they pay. Shared by the
scenarios that differ only in what else the machine is doing."""

from figures import Metric
from harness import in_turn, peak_pss_mb
from tools import Request

HERTZ = 99
COSTS = {
    "wall": Metric("wall time beyond the interval, s", 3),
    "cpu": Metric("own CPU time, s", 3),
    "rss": Metric("peak memory (RSS), MB", 1),
}
METRICS = COSTS | {"pss": Metric("peak memory with its children (PSS), MB", 1)}


def costs(taken, seconds):
    return {"wall": taken["wall_s"] - seconds, "cpu": taken["cpu_s"], "rss": taken["rss_mb"]}


def measure(bench, tools):
    def measure_one(tool):
        command = tool.command(Request(HERTZ, bench.seconds, bench.scratch))
        found = costs(bench.timed(command), bench.seconds)
        # In a separate run, because reading the memory takes time.
        with bench.running(*command) as process:
            return found | {"pss": peak_pss_mb(process)}

    return in_turn(tools, measure_one)
