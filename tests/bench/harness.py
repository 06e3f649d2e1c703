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

# enum bpf_prog_type
PERF_EVENT_PROGRAM = 7
TRACEPOINT_PROGRAMS = (5, 17, 26)  # by an event of tracefs, raw, with BTF
PATIENCE_S = 60
SURELY_UP_S = 0.5
PSS_EVERY_S = 0.01
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
    def running(self, *command, ready_line=False, piped=False):
        """A process for the time of a block; with `ready_line`, once it has said that it is up."""
        process = self._start(command, subprocess.PIPE if ready_line or piped else subprocess.DEVNULL)
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

    def said_by(self, *command):
        """What a command that ends by itself says on stdout."""
        with self.running(*command, piped=True) as process:
            try:
                said, _ = process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired as late:
                raise Failure(f"{command[0]} did not end in {PATIENCE_S} s") from late
            if process.returncode != 0:
                raise Failure(f"{command[0]} ended with {process.returncode}: {last_words(process)}")
        return said

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


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def interrupt_children(process):
    for child in children_of(process.pid):
        os.kill(child, signal.SIGINT)


def pss_mb(pid):
    """What a process and all that it has started have in memory, what is shared divided by its users."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            own = sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
        return own + sum(map(pss_mb, children_of(pid)))
    except OSError:
        return 0  # it has ended


def peak_pss_mb(process):
    """Of all its time, which ends by itself."""
    peak = 0
    while process.poll() is None:
        peak = max(peak, pss_mb(process.pid))
        time.sleep(PSS_EVERY_S)
    return peak


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


def in_open_files(process, field):
    """The fdinfo, as {name: value}, of those of the process's open files that have this field."""
    folder = f"/proc/{process.pid}/fdinfo"
    for name in os.listdir(folder):
        try:
            with open(os.path.join(folder, name), encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue  # closed meanwhile
        if field in fields:
            yield fields


def run_statistics(process, types=(PERF_EVENT_PROGRAM,)):
    """(nanoseconds, runs) of the process's BPF program of these types, from the kernel, of the busiest when it has several;
    None while there is none."""
    found = [(int(fields["run_time_ns"]), int(fields["run_cnt"])) for fields in in_open_files(process, "run_cnt")
             if int(fields["prog_type"]) in types]
    return max(found, key=lambda statistics: statistics[1], default=None)


def wait_until(process, is_up, what):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Failure(f"{process.args[0]} ended early: {last_words(process)}")
        if is_up():
            return
        time.sleep(0.05)
    raise Failure(f"{process.args[0]} {what} in {PATIENCE_S} s")


def wait_until_sampling(process, types=(PERF_EVENT_PROGRAM,)):
    """BPF run-time statistics must be on."""
    wait_until(process, lambda: (run_statistics(process, types) or (0, 0))[1] > WARM_RUNS, "took no sample")


def wait_until_attached(process):
    """For a tool with BPF programs that are attached by links, without the statistics, which would slow them down."""
    wait_until(process, lambda: any(in_open_files(process, "link_id")), "attached nothing")
    time.sleep(SURELY_UP_S)  # the rest of its start


def in_turn(tools, measure_one):
    """{tool: values} of tools measured one after the other; one that fails is said and left out."""
    found = {}
    for tool in tools:
        try:
            found[tool.key] = measure_one(tool)
        except Failure as failure:
            print(f"bench: {failure}", file=sys.stderr)
    return found
