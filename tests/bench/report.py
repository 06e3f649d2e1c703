"""The Markdown of a run: one table for each kind of figure, and the targets."""

import datetime
import os
import platform

from figures import median, ratio, scenario_key
from tools import TOOLS

OURS = "profile"


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def machine(tools, rounds, seconds, load_before):
    return {
        "date": datetime.date.today().isoformat(),
        "kernel": os.uname().release,
        "cpus": len(os.sched_getaffinity(0)),
        "cpu": cpu_model(),
        "rounds": rounds,
        "interval_s": seconds,
        "load_before": load_before,
        "tools": {tool.name: tool.version() for tool in tools},
    }


def cell(values, own, digits):
    value = median(values)
    if value is None:
        return ""
    times = ratio(values, own)
    compared = "" if values is own or times is None else f" ({times:.3g}×)"
    return f"{value:.{digits}f}{compared}"


def rows(scenario, figures, names):
    """A row a tool; a tool with no figure at all in this scenario has none."""
    for key, name in names.items():
        cells = []
        for metric_key, metric in scenario.METRICS.items():
            values = figures.get(metric_key, {})
            cells.append(cell(values.get(key, []), values.get(OURS, []), metric.digits))
        if any(cells):
            yield [name, *cells]


def table(group, figures):
    labels = [metric.label for metric in group[0].METRICS.values()]
    lines = ["| load | tool | " + " | ".join(labels) + " |", "|---|---|" + "---:|" * len(labels)]
    for scenario in group:
        names = {tool.key: tool.name for tool in TOOLS} | scenario.EXTRA
        title = scenario.TITLE
        for row in rows(scenario, figures[scenario_key(scenario)], names):
            lines.append(f"| {title} | " + " | ".join(row) + " |")
            title = ""
    return lines


def targets_table(verdicts):
    lines = ["| target | at most | measured | |", "|---|---:|---:|---|"]
    for verdict in verdicts:
        unit = "×" if verdict.target.times else ""
        value = "" if verdict.value is None else f"{verdict.value:.3g}{unit}"
        lines.append(f"| {verdict.target.text} | {verdict.target.at_most:.3g}{unit} | {value} | {verdict.word} |")
    return lines


def render(chosen, figures, about, missing, verdicts):
    """The whole text. Scenarios with the same metrics stand in one table."""
    groups = []
    for scenario in chosen:
        group = next((group for group in groups if group[0].METRICS == scenario.METRICS), None)
        if group is None:
            groups.append([scenario])
        else:
            group.append(scenario)
    versions = ", ".join(f"{name} {version}" for name, version in about["tools"].items())
    parts = [[
        f"{about['date']}, Linux {about['kernel']}, {about['cpus']} CPUs ({about['cpu']}); {versions}. "
        f"Medians of {about['rounds']} {'rounds' if about['rounds'] != 1 else 'round'}, "
        f"{about['interval_s']} s each, load average {about['load_before']:.1f} before; in brackets, how many times ours."
    ]]
    parts += [table(group, figures) for group in groups]
    if missing:
        parts.append([f"Not measured: {name}: {reason}." for name, reason in missing.items()])
    if verdicts:
        parts.append(targets_table(verdicts))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"
