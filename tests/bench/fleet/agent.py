"""A real agent on a load: what it costs, and its requests, which are kept."""

import contextlib
import os
import shutil
import sys
import time
from dataclasses import dataclass

from harness import children_of, in_open_files, pss_mb, wait_until
from server import cpu_s_of, make_database, say

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
PROGRAMS = os.path.join(BENCH, "programs")
HERTZ = 19
COMPILERS = ("gcc", "g++", "clang", "clang++")
BPF_STATISTICS = "/proc/sys/kernel/bpf_stats_enabled"


def cpu_of_tree_s(pid):
    """What a process, its children and those of them that have ended have used."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return cpu_s_of(f"/proc/{pid}/stat") + ended + sum(map(cpu_of_tree_s, children_of(pid)))


def bpf_s(process):
    return sum(int(fields["run_time_ns"]) for fields in in_open_files(process, "run_cnt")) / 1e9


@contextlib.contextmanager
def bpf_statistics():
    with open(BPF_STATISTICS, encoding="ascii") as file:
        before = file.read()
    set_bpf_statistics("1")
    try:
        yield
    finally:
        set_bpf_statistics(before)


def set_bpf_statistics(value):
    with open(BPF_STATISTICS, "w", encoding="ascii") as file:
        file.write(value)


@dataclass
class Agent:
    """What a run has cost."""
    cpu_percent: float  # of a CPU, in the steady state
    bpf_percent: float
    start_s: float  # CPU time until then
    pss_mb: list  # every second


def run_agent(bench, sizes, url, pids, kept):
    """Of a run, from when it has sent its first tick on."""
    command = [os.environ["PROFILE"], "-q", "-F", str(HERTZ), "-i", str(sizes.tick_s), "--store", url]
    if pids:
        command += ["-p", pids]
    with bpf_statistics(), bench.running(*command) as agent:
        wait_until(agent, lambda: os.listdir(kept), "sent nothing")
        time.sleep(sizes.tick_s / 2)
        begun, cpu, bpf, pss = time.monotonic(), cpu_of_tree_s(agent.pid), bpf_s(agent), []
        start_s = cpu + bpf
        while time.monotonic() - begun < sizes.record_s:
            time.sleep(1)
            pss.append(pss_mb(agent.pid))
        took = time.monotonic() - begun
        own, in_kernel = cpu_of_tree_s(agent.pid) - cpu, bpf_s(agent) - bpf
        return Agent(100 * (own + in_kernel) / took, 100 * in_kernel / took, start_s, pss)


@contextlib.contextmanager
def quiet_load(bench, sizes):
    seconds = sizes.record_s + 120
    with bench.running(sys.executable, os.path.join(HERE, "service.py"), str(seconds), piped=True) as services:
        yield ",".join(services.stdout.readline().decode().split())


@contextlib.contextmanager
def compile_load(bench, _):
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    with contextlib.ExitStack() as stack:
        for _ in bench.cpus:
            loop = os.path.join(PROGRAMS, "compile_loop.sh")
            stack.enter_context(bench.running(loop, PROGRAMS, bench.scratch, *compilers, ready_line=True))
        yield None  # the whole machine


def record(bench, server, sizes, load, name, folder):
    """Runs an agent on a load, and keeps its requests in folder/kept."""
    say(f"an agent on the load {name} for {sizes.record_s} s")
    make_database(server, "recorded")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was stopped
    kept = os.path.join(folder, "kept")
    os.makedirs(kept)
    proxy = [sys.executable, os.path.join(BENCH, "..", "tools", "store_proxy.py"), folder, str(server.port)]
    port_file = os.path.join(folder, "port")
    with load(bench, sizes) as pids, bench.running(*proxy) as process:
        wait_until(process, lambda: os.path.exists(port_file), "has no port")
        with open(port_file, encoding="ascii") as file:
            port = file.read()
        cost = run_agent(bench, sizes, f"clickhouse+http://127.0.0.1:{port}/recorded", pids, kept)
    os.remove(port_file)
    return cost
