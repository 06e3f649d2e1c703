"""Short compilations without pause: each process is gone before anybody can ask for it, and distributions build compilers
without frame pointers and symbols. How many frames have no name, and what it costs.

Frames are counted over the samples of the compilers' own threads. Which of the unnamed lie in a file, only ours and perf
tell; for the others the share is of all frames, those that a broken frame-pointer chain made up included. Shares of different
frames say little: a stack that breaks off early has few frames, and other ones. So the frames with a name are counted, too.
perf is asked twice, the second time with copies of the stacks, which it walks afterwards by the same tables as we.
"""

import contextlib
import os
import re
import shutil
from dataclasses import replace

import frames
import plain_run
from figures import Metric
from harness import Failure, in_turn
from tools import Request, perf_command

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
    "named": Metric("user frames with function name, a sample", 2),
} | plain_run.COSTS
EXTRA = {"perf_dwarf": "perf record --call-graph dwarf + script"}
STACK_BYTES = 16384  # that perf copies at each sample; its default is half of that

# The reasons in our summary for a frame that is in no file.
IN_NO_FILE = re.compile(r"(\d+) (?:in no mapping|JIT code without a perf map)")


def command_of(tool, request):
    command = [word for word in tool.command(request) if word != "-q"]
    return [command[0], "-a", *command[1:]] if tool.key in ("profile", "bcc") else command


def variants(tool):
    if tool.key != "perf":
        return (tool,)
    return (tool, replace(tool, key="perf_dwarf", command=lambda request: perf_command(request, f"dwarf,{STACK_BYTES}")))


def percent(part, whole):
    return 100 * part / whole if whole else None


def shares(tool_key, found, said):
    """Our summary counts all threads alike, so what it tells is set against the frames of all."""
    of = {kind: sum(count for (thread, its), count in found.items() if its == kind and thread in THREADS)
          for kind in (frames.NAMED, frames.PLACED, frames.UNKNOWN, frames.SAMPLE)}
    samples = of.pop(frames.SAMPLE)
    everything = sum(of.values())
    if not everything:
        raise Failure(f"{tool_key} saw no compiler")
    values = {"unnamed": percent(everything - of[frames.NAMED], everything), "named": of[frames.NAMED] / samples}
    if tool_key in ("profile", "perf", "perf_dwarf"):
        values["unnamed_in_file"] = percent(of[frames.PLACED], of[frames.NAMED] + of[frames.PLACED])
    if tool_key == "profile":
        in_no_file = sum(map(int, IN_NO_FILE.findall(said)))
        unknown = sum(count for (_, kind), count in found.items() if kind == frames.UNKNOWN)
        all_frames = sum(count for (_, kind), count in found.items() if kind != frames.SAMPLE)
        values["bare"] = percent(max(0, unknown - in_no_file), all_frames - in_no_file)
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
        return in_turn([variant for tool in tools for variant in variants(tool)], measure_one)
