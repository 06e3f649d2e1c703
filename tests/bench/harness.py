"""Starts, watches and ends what a scenario needs: loads, tools under a stopwatch, tools whose BPF program is read while they
run. Whatever it starts ends with it; the programs ask the kernel for the same, should the driver be killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PERF_EVENT_PROGRAM = 7  # BPF_PROG_TYPE_PERF_EVENT
PATIENCE_S = 60
SURELY_UP_S = 0.5
WARM_RUNS = 200  # the first samples fill maps and caches


class Failure(Exception):
    """A tool did not do its work in this round; its cell stays empty."""


class Bench:
    def __init__(self, programs, seconds):
        self.programs = programs
        self.seconds = seconds  # a measurement's interval
        self.cpus = sorted(os.sched_getaffinity(0))

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="profile-bench.")
        self.scratch = self._folder.name  # for the tools
        self._started = 0
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def program(self, name):
        return os.path.join(self.programs, name)

    @contextlib.contextmanager
    def running(self, *command, ready_line=False):
        """A process for the time of a block; with `ready_line`, once it has said that it is up."""
        process = self._start(command, subprocess.PIPE if ready_line else subprocess.DEVNULL)
        try:
            if ready_line and not process.stdout.readline():
                raise Failure(f"{command[0]} did not start: {last_words(process)}")
            yield process
        finally:
            end(process)
            os.remove(process.words)

    def _start(self, command, out):
        self._started += 1
        words = os.path.join(self.scratch, f"stderr.{self._started}")
        with open(words, "wb") as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                       start_new_session=True)
        process.words = words
        return process

    def load(self, *command):
        """One of the benchmark's own programs; all of them say when they are up."""
        return self.running(self.program(command[0]), *map(str, command[1:]), ready_line=True)

    def timed(self, command, first=False, meanwhile=None):
        """Runs a command to its end: {wall_s, cpu_s, rss_mb, started_ns, output: a file until the next run, said: the text on
        stderr}; with `first`, first_ns as well. With `meanwhile`, that is called once the command is up, and ends it."""
        result = os.path.join(self.scratch, "stopwatch.json")
        stopwatch = [self.program("stopwatch"), result, *(["--first"] if first else []), "--", *command]
        output = os.path.join(self.scratch, "output")
        with open(output, "wb") as out:
            process = self._start(stopwatch, out)
        try:
            if meanwhile:
                time.sleep(SURELY_UP_S)
                meanwhile()
                interrupt_children(process)
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{command[0]} did not end in {PATIENCE_S} s") from late
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # what the tool itself has started, too
                process.wait()
        if process.returncode != 0:
            raise Failure(f"{command[0]} was not timed: {last_words(process)}")
        with open(result, encoding="utf-8") as file:
            found = json.load(file)
        os.remove(result)
        if found["status"] != 0 or os.path.getsize(output) == 0:
            raise Failure(f"{command[0]} ended with {found['status']}: {last_words(process)}")
        with open(process.words, encoding="utf-8", errors="replace") as file:
            said = file.read()
        os.remove(process.words)
        return found | {"output": output, "said": said}


def interrupt_children(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        for child in file.read().split():
            os.kill(int(child), signal.SIGINT)


def last_words(process):
    with open(process.words, encoding="utf-8", errors="replace") as file:
        return file.read().strip()[-400:] or "it said nothing"


def end(process):
    if process.stdout:
        process.stdout.close()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_statistics(process):
    """(nanoseconds, runs) of the process's perf-event BPF program, from the kernel; None while there is none."""
    folder = f"/proc/{process.pid}/fdinfo"
    for name in os.listdir(folder):
        try:
            with open(os.path.join(folder, name), encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue  # closed meanwhile
        if int(fields.get("prog_type", 0)) == PERF_EVENT_PROGRAM and "run_cnt" in fields:
            return int(fields["run_time_ns"]), int(fields["run_cnt"])
    return None


def wait_until_sampling(process):
    """BPF run-time statistics must be on."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Failure(f"{process.args[0]} ended early: {last_words(process)}")
        statistics = run_statistics(process)
        if statistics and statistics[1] > WARM_RUNS:
            return
        time.sleep(0.05)
    raise Failure(f"{process.args[0]} took no sample in {PATIENCE_S} s")


def in_turn(tools, measure_one):
    """{tool: values} of tools measured one after the other; one that fails is said and left out."""
    found = {}
    for tool in tools:
        try:
            found[tool.key] = measure_one(tool)
        except Failure as failure:
            print(f"bench: {failure}", file=sys.stderr)
    return found
