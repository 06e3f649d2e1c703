"""THE table of what we promise to reach, and whether a run reached it."""

from dataclasses import dataclass

from figures import median, ratio


@dataclass(frozen=True)
class Target:
    text: str
    scenario: str
    metric: str
    at_most: float
    times: str | None = None  # a multiple of this tool's figure; none: the figure itself
    row: str = "profile"  # which row of the scenario's figures


TARGETS = (
    # The two kernel walks: bpf_get_stackid, which we use too, also stores the stack; bpf_get_stack only walks.
    Target("in-kernel cost of a sample, depth 10, against bpf_get_stackid", "sample_cost", "depth_10", 1.25, "walk_stackid"),
    Target("the same, depth 100", "sample_cost", "depth_100", 1.25, "walk_stackid"),
    Target("in-kernel cost of a sample, depth 10, against bpf_get_stack", "sample_cost", "depth_10", 1.25, "walk_stack"),
    Target("the same, depth 100", "sample_cost", "depth_100", 1.25, "walk_stack"),
    Target("wall time beyond the interval, s", "plain_loop", "wall", 0.08),
    Target("wall time beyond the interval against bcc profile.py", "plain_loop", "wall", 0.1, "bcc"),
    Target("own CPU time, s", "plain_loop", "cpu", 0.08),
    Target("peak memory with its children (PSS), MB", "plain_loop", "pss", 10),
    Target("peak memory with its children (PSS), against bcc profile.py", "plain_loop", "pss", 0.1, "bcc"),
    Target("own CPU time against bcc profile.py", "plain_loop", "cpu", 1 / 15, "bcc"),
    Target("exec to first sample, ms", "first_sample", "first", 50),
    Target("compile loop: frames in a file with neither name nor [module+0xoff], %", "compile_loop", "bare", 1),
    Target("the same: user frames with function name a sample, of perf --call-graph dwarf against ours", "compile_loop", "named",
           1, "profile", row="perf_dwarf"),
    Target("the same: wall time beyond the interval, s", "compile_loop", "wall", 0.15),
    Target("the same: peak memory, MB", "compile_loop", "rss", 30),
    Target("node: peak memory with its children (PSS), MB", "node_plain", "pss", 14),
    Target("62,000 addresses at 20 kHz: wall time beyond the interval, s", "unique_addresses", "wall", 0.25,
           row="sixty_thousand"),
    *(target for scenario, load in (("large_program", "100 MB, 300,000 symbols"), ("node_plain", "node"),
                                    ("node_named", "node --perf-basic-prof"))
      for target in (Target(f"{load}: wall time beyond the interval, s", scenario, "wall", 0.1),
                     Target("the same, against bcc profile.py", scenario, "wall", 1 / 3, "bcc"),
                     Target("the same: peak memory, MB", scenario, "rss", 32))),
    Target("10,000 processes: memory a process, KB", "many_processes", "growth", 4),
    Target("off-CPU: in-kernel cost of a switch, stacks of depth 10, against bpftrace", "off_cpu", "depth_10", 1, "bpftrace"),
    Target("the same, depth 50", "off_cpu", "depth_50", 1, "bpftrace"),
    Target("off-CPU: what a round of ping-pong takes longer, against perf sched record", "ping_pong", "added", 0.5,
           "perf_sched"),
    Target("system calls: what a getppid takes longer, against strace -c", "syscalls", "added", 1 / 20, "strace"),
    Target("the same, against perf trace -s", "syscalls", "added", 1, "perf_trace"),
    Target("stream: CPU time a million samples, against perf record + script", "stream", "cpu", 0.5, "perf"),
    Target("recording: CPU time a million samples, s", "recording", "cpu", 1.5),
    Target("the same, against perf record + script", "recording", "cpu", 0.5, "perf"),
    Target("the same: samples lost", "recording", "lost", 0),
    Target("the same: bytes a sample", "recording", "bytes", 20),
    Target("the same: a sixtieth as folded lines, s", "recording", "part", 0.3),
    Target("the same: in-kernel cost of a sample, against counting", "recording", "kernel", 1.1, "counting"),
    Target("compilations recorded: bytes a new stack with its names", "recording", "stack_bytes", 400),
    Target("page of 100,000 distinct stacks: first paint, ms", "page", "first", 1000),
    Target("the same: a zoom, ms", "page", "zoom", 100),
    Target("page of an hour of two CPUs at 99 Hz: its size, MB", "page_of_recording", "megabytes", 5),
    Target("the same: all samples are read, ms", "page_of_recording", "read", 2000),
    Target("the same, a million samples: another part of the time, ms", "page_of_recording", "change", 100, row="million"),
    Target("table of a large library's frames: ms of CPU time", "unwind_tables", "ms", 60),
    Target("the same: ns a row", "unwind_tables", "ns_a_row", 60),
    Target("the same: bytes a row", "unwind_tables", "bytes_a_row", 4.5),
    Target("the same: memory of its maker, MB", "unwind_tables", "memory_mb", 40),
    # A logarithm and colder caches are expected; with quadratic growth it would be 40.
    Target("20,000 processes against 500: the figure of a process that grows most", "scale", "growth", 4),
)


@dataclass(frozen=True)
class Verdict:
    target: Target
    value: float | None  # none: could not be measured

    @property
    def word(self):
        if self.value is None:
            return "not measured"
        return "reached" if self.value <= self.target.at_most else "missed"


def judge(figures):
    """A verdict on every target whose scenario was run."""
    verdicts = []
    for target in TARGETS:
        if target.scenario not in figures:
            continue
        values = figures[target.scenario].get(target.metric, {})
        own = values.get(target.row, [])
        value = ratio(own, values.get(target.times, [])) if target.times else median(own)
        verdicts.append(Verdict(target, value))
    return verdicts
