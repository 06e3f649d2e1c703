#!/usr/bin/env python3
"""Compares user stacks with those of elfutils' eu-stack, address for address, in real programs.

against_eu_stack.py [--stops N] PROFILE COMMAND...: runs the command, stops it N times (default 100) at random moments, and
asks eu-stack for the stack of its main thread. The profiler follows the same thread with -e off-cpu: the stop itself is a
wait, whose user stack must be the same. It needs root, and elfutils. It prints how many stacks were equal and each pair that
was not. Exit status 1 when a stack differs in an address that both have, or ends too early.
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

STOPS = ("do_signal_stop", "ptrace_stop", "do_jobctl_trap")


def stack_by_elfutils(pid):
    """The addresses of the main thread's stack, leaf first."""
    done = subprocess.run(["eu-stack", "-q", "-n", "0", "-1", "-p", str(pid)], capture_output=True, text=True, check=False)
    return [int(address, 16) for address in re.findall(r"^#\d+ +0x([0-9a-f]+)", done.stdout, re.MULTILINE)]


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


def has_stopped(pid):
    """Waits until the process has stopped. False: it has ended."""
    while (state := state_of(pid)) not in "TtZ":
        time.sleep(0.001)
    return state != "Z"


def stop_again_and_again(pid, stops):
    """[(from, to, addresses)], times in ns since 1970."""
    taken = []
    for _ in range(stops):
        time.sleep(random.uniform(0.005, 0.05))
        begin = time.time_ns()
        os.kill(pid, signal.SIGSTOP)
        if not has_stopped(pid):
            break
        addresses = stack_by_elfutils(pid)
        os.kill(pid, signal.SIGCONT)
        taken.append((begin, time.time_ns(), addresses))
    return taken


def stops_in(path, pid):
    """[(time, addresses, why the stack ends)] of the waits in which the thread was stopped."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            sample = json.loads(line)
            kernel = {frame.get("symbol") for frame in sample["kernel"]}
            if sample["tid"] == pid and kernel.intersection(STOPS):
                user = sample["user"] if isinstance(sample["user"], list) else []
                yield sample["time_unix_ns"], [int(frame["address"], 16) for frame in user], sample.get("user_end")


def verdict(ours, theirs, end):
    """A word for how the two compare."""
    if ours == theirs:
        return "equal"
    common = min(len(ours), len(theirs))
    if ours[:common] != theirs[:common]:
        return "different"
    if len(ours) > len(theirs):
        return "ours longer"
    return "ours shorter, and says so" if end not in (None, "root") else "ours shorter"


def compare(taken, samples):
    results, shown = collections.Counter(), []
    for begin, end_ns, theirs in taken:
        near = [sample for sample in samples if begin <= sample[0] <= end_ns + 5_000_000]
        if not near or not theirs:
            results["no sample" if theirs else "eu-stack had no stack"] += 1
            continue
        words = {verdict(ours, theirs, end): (ours, end) for _, ours, end in near}
        word = "equal" if "equal" in words else next(iter(words))
        results[word] += 1
        results["frames compared"] += min(len(theirs), len(words[word][0]))
        if word != "equal":
            shown.append((word, *words[word], theirs))
    return results, shown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profile")
    parser.add_argument("--stops", type=int, default=100)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stream = os.path.join(folder, "stream.json")
        nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        target = subprocess.Popen(options.command, **nowhere)
        time.sleep(1)
        profiler = subprocess.Popen([options.profile, "-q", "-e", "off-cpu", "--stream=json", "-o", stream, "-p", str(target.pid)])
        time.sleep(1)
        try:
            taken = stop_again_and_again(target.pid, options.stops)
            time.sleep(0.2)
        finally:
            profiler.send_signal(signal.SIGINT)
            profiler.wait()
            target.kill()
            target.wait()
        results, shown = compare(taken, list(stops_in(stream, target.pid)))
    print(f"{' '.join(options.command)[:60]}: " + ", ".join(f"{number} {word}" for word, number in results.most_common()))
    for word, ours, end, theirs in shown[:5]:
        print(f"  {word} ({end}):\n    ours     {' '.join(map(hex, ours))}\n    eu-stack {' '.join(map(hex, theirs))}")
    return 1 if results["different"] or results["ours shorter"] else 0


if __name__ == "__main__":
    sys.exit(main())
