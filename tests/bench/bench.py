#!/usr/bin/env python3
"""Measures the profiler side by side with the tools it replaces, in one run, and prints the tables of README.md beside this.

Every scenario is a file in scenarios/; a round measures each tool once, in an order that changes from round to round, so
that what else the machine does meets all of them. Shown are medians of the rounds, and, because machines differ, ratios
to ours taken within a round. Started by scripts/bench, which builds and installs what is needed; needs root.
"""

import argparse
import importlib
import json
import os
import pkgutil
import signal
import sys
import time

import report
import scenarios
import targets
from figures import scenario_key
from harness import Bench
from tools import TOOLS


def load_scenarios(wanted):
    found = {name: importlib.import_module(f"scenarios.{name}") for _, name, _ in pkgutil.iter_modules(scenarios.__path__)}
    unknown = sorted(set(wanted) - set(found))
    if unknown:
        sys.exit(f"bench: no scenario {', '.join(unknown)}; there are {', '.join(sorted(found))}")
    chosen = [found[name] for name in (wanted or found)]
    return sorted(chosen, key=lambda scenario: scenario.PLACE)


def available_tools():
    """The tools that can be measured, and the reasons why the others cannot."""
    missing = {tool.name: reason for tool in TOOLS if (reason := tool.missing())}
    for name, reason in missing.items():
        print(f"bench: {name} is not measured: {reason}", file=sys.stderr)
    return [tool for tool in TOOLS if tool.name not in missing], missing


def measure_round(bench, scenario, tools, turn, values):
    """Adds one round to the values, {metric: {tool: [a value a round]}}: None where it gave none."""
    print(f"bench: round {turn + 1}: {scenario.TITLE}", file=sys.stderr)
    for of_tool in values.values():
        for rounds in of_tool.values():
            rounds.append(None)
    start = turn % len(tools)
    for tool, found in scenario.measure(bench, tools[start:] + tools[:start]).items():
        for metric, value in found.items():
            rounds = values.setdefault(metric, {}).setdefault(tool, [None] * (turn + 1))
            rounds[turn] = value


def measure(bench, chosen, tools, rounds, budget_s):
    """All scenarios, round by round; on a slow or busy machine as many rounds as there is time for, but at least one."""
    figures = {scenario_key(scenario): {} for scenario in chosen}
    begun = time.monotonic()
    for turn in range(rounds):
        for scenario in chosen:
            measure_round(bench, scenario, tools, turn, figures[scenario_key(scenario)])
        took = time.monotonic() - begun
        if took / (turn + 1) * (turn + 2) > budget_s:
            break
    return figures, turn + 1


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two short rounds: whether it works, not how fast it is")
    parser.add_argument("--rounds", type=int, default=5, help="at most so many; default 5")
    parser.add_argument("--minutes", type=float, default=8, help="no round is begun that would not end in time; default 8")
    parser.add_argument("--programs", required=True, help="where the benchmark's own programs were built")
    parser.add_argument("--results", required=True, help="directory for table.md and figures.json")
    parser.add_argument("scenario", nargs="*", help="default: all")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    # SIGTERM must clean up like Ctrl-C. In the background a shell ignores SIGINT, and the tools would inherit that, but we
    # end them with SIGINT.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = load_scenarios(arguments.scenario)
    tools, missing = available_tools()
    load_before = os.getloadavg()[0]
    if load_before > len(os.sched_getaffinity(0)) / 2:
        print(f"bench: this machine is busy (load average {load_before:.1f}): times will be long", file=sys.stderr)
    rounds = max(1, min(arguments.rounds, 2) if arguments.quick else arguments.rounds)
    with Bench(arguments.programs, seconds=1 if arguments.quick else 2) as bench:
        figures, rounds = measure(bench, chosen, tools, rounds, arguments.minutes * 60)

    machine = report.machine(tools, rounds, bench.seconds, load_before)
    text = report.render(chosen, figures, machine, missing, targets.judge(figures))
    os.makedirs(arguments.results, exist_ok=True)
    with open(os.path.join(arguments.results, "figures.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": machine, "missing": missing, "figures": figures}, file, indent=1)
    with open(os.path.join(arguments.results, "table.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text, end="")


try:
    main()
except KeyboardInterrupt:
    sys.exit("bench: stopped")
