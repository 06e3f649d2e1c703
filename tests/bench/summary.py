"""Prints the figures of the main README from the tables of the README beside this file, so that both are of one run.
tests/lint/figures.sh compares them."""

import pathlib
import re
import textwrap

C_LOOP = "one C loop"
COMPILING = "short C and C++ compilations on every CPU"
AT_999_HZ = "a C loop on every CPU, 999 Hz"
PING_PONG = "pipe ping-pong on every CPU"
OURS = "profile"
BCC = "bcc profile.py"
FIRST = "exec to first sample, ms"
END = "wall time beyond the interval, s"
CPU = "own CPU time, s"
MEMORY = "peak memory (RSS), MB"
COST = ("ns a sample at depth 10", "ns a sample at depth 100")
SWITCH = "ns a switch at depth 10"


def figures_of(text):
    """{(load, tool, column): number}"""
    figures = {}
    columns, load = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells[:2] == ["load", "tool"]:
            columns = cells[2:]
        elif not cells:
            columns = []
        elif columns and not cells[0].startswith("---"):
            load = cells[0] or load
            for column, cell in zip(columns, cells[2:]):
                if cell:
                    figures[load, cells[1], column] = float(cell.split()[0])
    return figures


def summary(text):
    figures = figures_of(text)
    kernel, cpus = re.search(r"Linux (\d+\.\d+)\S*, (\d+) CPUs", text).groups()

    def at(load, tool, column, parts=1):
        return f"{figures[load, tool, column] / parts:.3g}"

    def us(load, tool, column):
        return at(load, tool, column, 1000)

    first = f"{C_LOOP}, 999 Hz"
    return f"In short, on Linux {kernel} with {cpus} CPUs:", (
        f"The first sample is taken {at(first, OURS, FIRST)} ms after the start, and the report of a single program is there "
        f"{at(C_LOOP, OURS, END)} s after the interval. bcc's profile.py takes {at(first, BCC, FIRST, 1000)} s and "
        f"{at(C_LOOP, BCC, END)} s.",
        f"While every CPU compiles short C and C++ programs, a run ends {at(COMPILING, OURS, END)} s after its interval, and "
        f"costs {at(COMPILING, OURS, CPU)} s of CPU time and {at(COMPILING, OURS, MEMORY)} MB. bcc's profile.py takes "
        f"{at(COMPILING, BCC, END)} s, {at(COMPILING, BCC, CPU)} s and {at(COMPILING, BCC, MEMORY)} MB.",
        f"A sample with both stacks costs {us(AT_999_HZ, OURS, COST[0])} µs at depth 10 and {us(AT_999_HZ, OURS, COST[1])} µs "
        f"at depth 100, without frame pointers; bcc's {us(AT_999_HZ, BCC, COST[0])} and {us(AT_999_HZ, BCC, COST[1])} µs.",
        f"A context switch costs {us(PING_PONG, 'profile -e off-cpu', SWITCH)} µs with both stacks by `-e off-cpu`; bpftrace's "
        f"best one-liner costs {us(PING_PONG, 'bpftrace, its best one-liner', SWITCH)} µs.",
    )


first_line, items = summary(pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8"))
print(first_line, end="\n\n")
for item in items:
    print(textwrap.fill(item, 127, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False))
