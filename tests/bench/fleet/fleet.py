#!/usr/bin/env python3
"""What a store of ClickHouse needs for a fleet, and what an agent costs. Started by fleet.sh, which starts the server.

A real agent is run on two loads, and its requests are kept. Then a thousand hosts send them, each with its own name, at its
own times and from its own place in its hour. What that costs the server, and what reports of it cost, is printed as the
tables of README.md beside this.
"""

import argparse
import json
import os
import signal
import statistics
import sys
from dataclasses import dataclass, replace

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# pylint: disable=wrong-import-position
import recorded
import report as machine_report
from agent import HERTZ, Agent, compile_load, quiet_load, record
from harness import Bench
from reading import reports
from recorded import TICK_S, Recording
from server import Senders, Server, make_database, say
from simulation import VARIANTS, Simulation

MILLION = 1_000_000


@dataclass(frozen=True)
class Sizes:
    hosts: int
    few_hosts: int
    record_s: int  # a real run
    tick_s: float  # of it
    ticks: int  # of each simulated host
    rounds: int  # of each report


FULL = Sizes(hosts=1000, few_hosts=100, record_s=240, tick_s=TICK_S, ticks=6, rounds=3)
SHORT = Sizes(hosts=20, few_hosts=5, record_s=5, tick_s=1, ticks=6, rounds=1)

LOADS = {"quiet": ("services", quiet_load), "compile": ("compile loop", compile_load)}


@dataclass
class Load:
    """What a load has shown."""
    name: str
    title: str
    agent: Agent
    recording: Recording
    sent: Senders
    cost: object
    simulation: Simulation
    disk: dict = None

    @property
    def minutes(self):
        """Of machines."""
        return self.simulation.hosts * self.simulation.ticks * self.simulation.tick_s / 60

    @property
    def machines_a_core(self):
        return 60 / (self.cost.cpu_s / self.minutes)


def simulated(server, agent, ticks, hosts, name, title, count, tick_s=TICK_S, is_buffered=False, has_new_stacks=True):
    of_recording = ticks if has_new_stacks else recorded.without_new_stacks(ticks)
    recording = Recording(of_recording, VARIANTS if has_new_stacks else 1)
    say(f"{hosts} hosts, {count} ticks of {tick_s} s each, as {title}: {len(ticks)} recorded ticks with {recording.stacks} "
        f"stacks, {len(recording.rare)} of them rare")
    simulation = Simulation(server, name, recording, hosts, count, tick_s, is_buffered)
    sent, cost = simulation.run(ticks)
    return Load(name, title, agent, recording, sent, cost, simulation)


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def significant(value, digits=3):
    """A number with so many digits, and commas."""
    if value is None:
        return ""
    if value >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def store_rows(loads):
    figures = (
        ("rows of samples a tick", lambda load: load.recording.rows_a_tick),
        ("samples a tick", lambda load: load.recording.samples_a_tick),
        ("new stacks a tick in the recording's last half", new_stacks_a_tick),
        ("inserts a machine and minute", lambda load: load.sent.inserts / load.minutes),
        ("wire: kB a machine and minute", lambda load: load.sent.bytes / load.minutes / 1000),
        ("server: CPU ms a machine and minute", lambda load: 1000 * load.cost.cpu_s / load.minutes),
        ("of that, merging parts", lambda load: 1000 * load.cost.merging_s / load.minutes),
        ("server: CPU ms an insert", lambda load: 1000 * load.cost.cpu_s / load.sent.inserts),
        ("**machines a core**", lambda load: load.machines_a_core),
        ("rows a second of the server's CPU", lambda load: load.sent.rows / load.cost.cpu_s),
        ("kB (compressed) a second of it", lambda load: load.sent.bytes / load.cost.cpu_s / 1000),
        ("rows a second, as it went here", lambda load: load.sent.rows / load.cost.wall_s),
        ("rows written by merges for a row inserted", lambda load: load.cost.events.get("MergedRows", 0) / load.sent.rows),
        ("most parts of a partition", lambda load: load.simulation.most_parts),
        ("inserts that the server put off", lambda load: load.sent.delays),
        ("inserts that it slowed down", lambda load: load.cost.events.get("DelayedInserts", 0)),
    )
    for label, of in figures:
        yield [label, *(significant(of(load)) for load in loads)]


def new_stacks_a_tick(load):
    ticks = load.recording.ticks
    half = ticks[len(ticks) // 2:]
    return sum(len(tick.rows("stacks")) for tick in half) / len(half)


def cells(reading):
    if isinstance(reading, str):
        return [reading.split("/hour: ")[-1], "", "", ""]
    return [f"{reading.wall_s:.2f}", f"{reading.cpu_s:.2f}", f"{reading.server_s:.2f}", f"{reading.memory_mb:.0f}"]


def agent_rows(loads):
    for label, of in (
            ("CPU, % of one, BPF included", lambda agent: f"{agent.cpu_percent:.2f}"),
            ("of that, BPF", lambda agent: f"{agent.bpf_percent:.3f}"),
            ("CPU time until the first tick was sent, s", lambda agent: f"{agent.start_s:.2f}"),
            ("memory with its children (PSS), median, MB", lambda agent: f"{statistics.median(agent.pss_mb):.1f}"),
            ("peak, MB", lambda agent: f"{max(agent.pss_mb):.1f}")):
        yield [label, *(of(load.agent) for load in loads)]


def needs_rows(loads):
    for machines in (1, 100, 10_000, MILLION):
        for load in loads:
            day, shared = (load.disk["samples"] * 24, load.disk["shared"]) if load.disk else (None, None)
            bits = load.sent.bytes / load.minutes / 60 * 8
            yield [f"{machines:,}, {load.title}", significant(machines / load.machines_a_core),
                   significant(machines * bits / MILLION), significant(day and machines * day / 1e9),
                   significant(shared and shared / 1e9), significant(machines * load.sent.inserts / load.minutes / 60)]


def disk_of(server, database, hosts):
    """Bytes of an hour: of a machine's samples, and of what all machines share."""
    return {"samples": server.bytes_on_disk(database, "samples") / hosts,
            "shared": sum(server.bytes_on_disk(database, name) for name in ("stacks", "frames"))}


def hottest_service(server, database):
    return server.ask("SELECT service FROM samples GROUP BY service ORDER BY sum(samples) DESC LIMIT 1", database)


def recording_of(bench, server, sizes, arguments, name, load):
    """A real run on the load: what it has cost, and its ticks."""
    folder = os.path.join(arguments.recordings or bench.scratch, name)
    costs = os.path.join(folder, "costs.json")
    if not os.path.exists(costs):
        agent = record(bench, server, sizes, load, name, folder)
        with open(costs, "w", encoding="utf-8") as file:
            json.dump(vars(agent), file)
    with open(costs, encoding="utf-8") as file:
        agent = Agent(**json.load(file))
    make_database(server, "recorded")
    return agent, recorded.read(os.path.join(folder, "kept"), server.types("recorded"))[:-1]  # the last one is cut short


def read_hours(server, bench, sizes, load):
    """A table for each fleet: what reports of an hour of the load's largest service take."""
    service = hottest_service(server, load.name)
    for hosts in (sizes.few_hosts, sizes.hosts):
        for is_varied in (False, True):
            title = f"{hosts} hosts, {'varied' if is_varied else 'alike'}"
            say(f"an hour of {load.title}, {title}")
            load.simulation.fill_hour("hour", is_varied, hosts)
            load.disk = disk_of(server, "hour", hosts)
            rows, all_rows, stacks = (f"{server.number('SELECT count() FROM ' + what, 'hour'):,}" for what in (
                f"samples WHERE service = '{service}'", "samples", f"stacks WHERE service = '{service}'"))
            readings = reports(server, load.simulation, "hour", service, bench.scratch, sizes.rounds)
            yield table([f"{title}: {rows} of {all_rows} rows are of {service}, with {stacks} stacks", "s", "CPU of the reader, s",
                         "of the server, s", "MB"], ([label, *cells(reading)] for label, reading in readings.items()))


def simulate_all(bench, server, sizes, arguments):
    """The loads as they are, and all of them with their other forms."""
    plain, loads = [], []
    for name, (title, load) in LOADS.items():
        if arguments.load not in (None, name):
            continue
        agent, ticks = recording_of(bench, server, sizes, arguments, name, load)
        of_all = server, agent, ticks, sizes.hosts
        plain.append(simulated(*of_all, name, title, sizes.ticks))
        loads.append(plain[-1])
        if name == "quiet":
            loads.append(simulated(*of_all, "known", f"{title}, no new stacks", sizes.ticks, has_new_stacks=False))
        if arguments.forms:
            in_minutes = server, agent, recorded.joined(ticks, 6), sizes.hosts
            loads.append(simulated(*in_minutes, f"{name}_60", f"{title}, -i 60", max(sizes.ticks // 6, 1), 60))
            loads.append(simulated(*of_all, f"{name}_buffer", f"{title}, Buffer tables", sizes.ticks, is_buffered=True))
    return plain, loads


def measure(bench, server, sizes, arguments):
    """The tables, each as soon as it is known: lists of lines."""
    if arguments.recordings:
        os.makedirs(arguments.recordings, exist_ok=True)
    plain, loads = simulate_all(bench, server, sizes, arguments)
    yield table([f"an agent at {HERTZ} Hz", *(load.title for load in plain)], agent_rows(plain))
    yield table(["the store", *(load.title for load in loads)], store_rows(loads))
    for load in plain if not arguments.no_reports else ():
        if load.name == "quiet":
            yield from read_hours(server, bench, sizes, load)
        else:
            say(f"an hour of {load.title}")
            load.simulation.fill_hour("hour", True, sizes.hosts)
            load.disk = disk_of(server, "hour", sizes.hosts)
    yield table(["what they need", "cores of store", "Mbit/s", "GB of samples a day", "GB of stacks and frames that all share",
                 "inserts a second"], needs_rows(loads))


def main():
    parser = argparse.ArgumentParser(prog="fleet", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True, help="of the server's HTTP")
    parser.add_argument("--pid", type=int, required=True, help="of the server")
    parser.add_argument("--short", action="store_true", help="few hosts and one report: whether it works")
    parser.add_argument("--record-s", type=int, help=f"how long a real agent runs; default {FULL.record_s}")
    parser.add_argument("--ticks", type=int, help=f"of each simulated host, a divisor of 360; default {FULL.ticks}")
    parser.add_argument("--recordings", help="a directory: what agents have sent is kept there, and taken from there next time")
    parser.add_argument("--forms", action="store_true", help="also with ticks of a minute, and with Buffer tables")
    parser.add_argument("--no-reports", action="store_true", help="only what inserts cost")
    parser.add_argument("--load", choices=LOADS, help="only this one")
    arguments = parser.parse_args()
    # In the background a shell ignores SIGINT, and what is started here would inherit that.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = {name: value for name in ("record_s", "ticks") if (value := getattr(arguments, name))}
    sizes = replace(SHORT if arguments.short else FULL, **chosen)
    server = Server(arguments.port, arguments.pid)
    about = machine_report.machine([], 1, sizes.record_s, os.getloadavg()[0])
    print(f"{about['date']}, Linux {about['kernel']}, {about['cpus']} CPUs ({about['cpu']}), load average "
          f"{about['load_before']:.1f} before; ClickHouse {server.ask('SELECT version()')}.")
    with Bench("", sizes.record_s) as bench:
        for lines in measure(bench, server, sizes, arguments):
            print("\n" + "\n".join(lines), flush=True)


try:
    main()
except KeyboardInterrupt:
    sys.exit("fleet: stopped")
