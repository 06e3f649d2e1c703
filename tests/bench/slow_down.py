"""What something takes longer because a tool watches it. Shared by the scenarios that differ only in what that is.

The load times itself (programs/batches.h) and prints the nanoseconds of one round, one call, or whatever it repeats. Every
run with a tool stands between two without, whose mean is taken off: that way drift meets all.
"""

import sys

from figures import Metric
from harness import Failure, wait_until_attached
from tools import ours


def metrics(one, prefix=""):
    return {f"{prefix}added": Metric(f"ns {one} longer", 0), f"{prefix}one": Metric(f"ns {one}", 0)}


def time_of_one(bench, command):
    """What the load says, which a tool may have started."""
    said = bench.said_by(*command)
    try:
        return float(said)
    except ValueError as unknown:
        raise Failure(f"{command[0]} gave no time: {said[:80]!r}") from unknown


def beside_ours(bench, load, *options):
    """The time of one while our profiler watches the whole machine."""
    with bench.running(ours(), "-q", *options) as process:
        wait_until_attached(process)
        return time_of_one(bench, load)


def measure(bench, load, watched):
    """Figures of every tool in {key: a function that gives the time of one with it}, and of the load alone."""
    found = {}
    alone = [time_of_one(bench, load)]
    for key, time_with_tool in watched.items():
        try:
            one = time_with_tool()
        except Failure as failure:
            print(f"bench: {failure}", file=sys.stderr)
            continue
        alone.append(time_of_one(bench, load))
        found[key] = {"one": one, "added": one - sum(alone[-2:]) / 2}
    found["alone"] = {"one": sum(alone) / len(alone)}
    return found
