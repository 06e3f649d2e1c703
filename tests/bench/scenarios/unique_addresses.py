"""What an address costs, and that a sample costs nothing: a program whose every instruction is somewhere else, over so many of
its functions that a run meets about 1, 10, 62 and 100 thousand addresses; and few addresses again with a tenth of the samples.
Ours alone: at this rate the others are busy for minutes. In the memory is the ring buffer, which is sized by the rate."""

import re
from dataclasses import dataclass

from figures import Metric
from harness import in_turn
from plain_run import costs
from tools import ours

HERTZ = 20000
SECONDS = 5
PLACE = 10
TITLE = f"unique addresses, {HERTZ} Hz"


@dataclass(frozen=True)
class Run:
    key: str
    name: str
    functions: int  # called; each has about eight addresses where a tick is met
    seconds: float = SECONDS


RUNS = (
    Run("thousand_short", "1 thousand, a tenth of the samples", 120, SECONDS / 10),
    Run("thousand", "1 thousand", 120),
    Run("ten_thousand", "10 thousand", 1250),
    Run("sixty_thousand", "62 thousand", 9200),
    Run("hundred_thousand", "100 thousand", 20000),
)
METRICS = {
    "samples": Metric("samples", 0),
    "addresses": Metric("unique addresses", 0),
    "wall": Metric("wall time beyond the interval, s", 3),
    "cpu": Metric("own CPU time, s", 3),
    "rss": Metric("peak memory (RSS), MB", 1),
}
EXTRA = {run.key: run.name for run in RUNS}


def met(output):
    """(samples, unique user addresses) of counted output with addresses."""
    samples, addresses = 0, set()
    with open(output, encoding="utf-8", errors="replace") as file:
        for line in file:
            if address := re.match(r" +(0x0[0-9a-f]{15}) ", line):
                addresses.add(address[1])
            elif re.match(r" {8}\d+$", line):
                samples += int(line)
    return samples, len(addresses)


def measure(bench, tools):
    del tools

    def measure_one(run):
        seconds = run.seconds if bench.seconds > 1 else run.seconds / SECONDS
        with bench.load("many_functions", run.functions, len(bench.cpus)) as load:
            taken = bench.timed([ours(), "-q", "-A", "-F", str(HERTZ), "-p", str(load.pid), str(seconds)])
        samples, addresses = met(taken["output"])
        return {"samples": samples, "addresses": addresses} | costs(taken, seconds)

    return in_turn(RUNS, measure_one)
