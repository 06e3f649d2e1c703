"""Short compilations without pause: each process is gone before anybody can ask for it, and distributions build compilers
without frame pointers and symbols. How many frames have no name, and what it costs.

Frames are counted over the samples of the compilers' own threads. Which of the unnamed lie in a file, only ours and perf
tell; for the others the share is of all frames, those that a broken frame-pointer chain made up included.
"""

import contextlib
import os
import re
import shutil

import frames
import plain_run
from figures import Metric
from harness import Failure, in_turn
from tools import Request

SECONDS = 5
PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
COMPILERS = ("gcc", "g++", "clang", "clang++")
THREADS = frozenset((*COMPILERS, "cc1", "cc1plus", "as"))
PLACE = 5
TITLE = "short C and C++ compilations on every CPU"
METRICS = {
    "bare": Metric("frames in a file with neither name nor [module+0xoff], %", 2),
    "unnamed_in_file": Metric("frames in a file without function name, %", 1),
    "unnamed": Metric("user frames without function name, %", 1),
} | plain_run.COSTS
EXTRA = {}

# The reasons in our summary for a frame that is in no file.
IN_NO_FILE = re.compile(r"(\d+) (?:in no mapping|JIT code without a perf map)")


def command_of(tool, request):
    command = [word for word in tool.command(request) if word != "-q"]
    return [command[0], "-a", *command[1:]] if tool.key in ("profile", "bcc") else command


def percent(part, whole):
    return 100 * part / whole if whole else None


def shares(tool_key, found, said):
    """Our summary counts all threads alike, so what it tells is set against the frames of all."""
    of = {kind: sum(count for (thread, its), count in found.items() if its == kind and thread in THREADS)
          for kind in (frames.NAMED, frames.PLACED, frames.UNKNOWN)}
    everything = sum(of.values())
    if not everything:
        raise Failure(f"{tool_key} saw no compiler")
    values = {"unnamed": percent(everything - of[frames.NAMED], everything)}
    if tool_key in ("profile", "perf"):
        values["unnamed_in_file"] = percent(of[frames.PLACED], of[frames.NAMED] + of[frames.PLACED])
    if tool_key == "profile":
        in_no_file = sum(map(int, IN_NO_FILE.findall(said)))
        unknown = sum(count for (_, kind), count in found.items() if kind == frames.UNKNOWN)
        values["bare"] = percent(max(0, unknown - in_no_file), sum(found.values()) - in_no_file)
    return values


def measure(bench, tools):
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    seconds = SECONDS if bench.seconds > 1 else bench.seconds

    def measure_one(tool):
        taken = bench.timed(command_of(tool, Request(plain_run.HERTZ, seconds, bench.scratch)))
        found = frames.read(tool.key, taken["output"])
        return shares(tool.key, found, taken["said"]) | plain_run.costs(taken, seconds)

    with contextlib.ExitStack() as stack:
        for _ in bench.cpus:
            loop = bench.running(os.path.join(PROGRAMS, "compile_loop.sh"), PROGRAMS, bench.scratch, *compilers,
                                 ready_line=True)
            stack.enter_context(loop)
        return in_turn(tools, measure_one)
