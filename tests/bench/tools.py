"""THE table of what is measured: how each tool is asked for the same work, and what it needs to be there.

A new tool is a row of TOOLS. Equal work is: CPU clock on every CPU at one frequency, user and kernel stacks, no idle
stacks, names for all of them, one text file at the end.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Request:
    hertz: int
    seconds: int | None  # none: until SIGINT
    scratch: str  # a directory for what the tool must keep between its steps


@dataclass(frozen=True)
class Tool:
    key: str
    name: str  # as people know it
    command: Callable[[Request], list[str]]
    version: Callable[[], str]
    missing: Callable[[], str | None]  # the reason it cannot be measured here
    uses_bpf: bool = True
    ends_on_large_programs: bool = True  # within a minute


def answer(*command):
    """The first line of what a command says, for versions."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except OSError:
        return "?"
    return ((done.stdout or done.stderr).strip().splitlines() or ["?"])[0]


def not_found(command):
    return None if shutil.which(command) else f"there is no {command} here"


def package_version(package, command):
    """What Debian calls it, or what it calls itself."""
    if shutil.which("dpkg-query"):
        version = answer("dpkg-query", "-W", "-f", "${Version}", package)
        if re.match(r"\d", version):
            return version
    return answer(command, "--version")


def with_tracefs(command):
    """The command where tracefs is mounted: if it is not on this machine, then for the command alone."""
    mount = "test -e /sys/kernel/tracing/events || mount -t tracefs tracefs /sys/kernel/tracing"
    return ["unshare", "--mount", "sh", "-c", f'{mount}; exec "$@"', "sh", *command]


def ours():
    return os.environ["PROFILE"]


def profile_command(request):
    duration = [] if request.seconds is None else [str(request.seconds)]
    return [ours(), "-q", "-f", "-F", str(request.hertz), *duration]


def bcc_command(request):
    duration = [] if request.seconds is None else [str(request.seconds)]
    return ["profile-bpfcc", "-f", "-F", str(request.hertz), *duration]


def bcc_missing():
    """It compiles its BPF program at every start, and needs a kernel's headers for that."""
    if os.environ.get("BCC_KERNEL_SOURCE") or os.path.exists(f"/lib/modules/{os.uname().release}/build"):
        return not_found("profile-bpfcc")
    if os.path.exists("/sys/kernel/kheaders.tar.xz"):
        return not_found("profile-bpfcc")
    return not_found("profile-bpfcc") or "it needs kernel headers, and none could be had"


def bpftrace_command(request):
    end = "" if request.seconds is None else f"interval:s:{request.seconds} {{ exit(); }}"
    return ["bpftrace", "-e", f"profile:hz:{request.hertz} /pid/ {{ @[ustack, kstack, comm] = count(); }} {end}"]


def perf_command(request, call_graph="fp"):
    data = os.path.join(request.scratch, "perf.data")
    # The clock that the other tools use, even where there are hardware counters.
    record = (f"perf record -q -e cpu-clock -k CLOCK_MONOTONIC -F {request.hertz} -a --call-graph {call_graph} -o {data}"
              f" -- sleep {request.seconds}")
    return ["sh", "-c", f"{record} && perf script --no-inline -i {data}"]


TOOLS = (
    Tool("profile", "profile", profile_command, lambda: answer(ours(), "--version").split()[-1], lambda: None),
    Tool("bcc", "bcc profile.py", bcc_command, lambda: package_version("bpfcc-tools", "profile-bpfcc"), bcc_missing),
    Tool("bpftrace", "bpftrace", bpftrace_command, lambda: package_version("bpftrace", "bpftrace"),
         lambda: not_found("bpftrace"), ends_on_large_programs=False),
    Tool("perf", "perf record + script", perf_command, lambda: package_version("linux-perf", "perf"),
         lambda: not_found("perf"), uses_bpf=False),
)
