#!/usr/bin/env python3
"""Checks that a file is what perf-script(1) prints with the fields comm, pid, tid, cpu, time, period, event, ip, sym, symoff
and dso, as its manual page and the source of its printer describe it, and what the readers in use ask for besides: a comment
line begins with #; an event line has the name of the thread, in which no blank stands before a digit, then pid/tid, maybe
[cpu], the time, the period and the event; a frame line has a tab, the address, the symbol and the file in brackets; a symbol
does not begin with a bracket; an empty line ends each event; the last too.

Prints the number of events, the sum of their periods, and the number of lanes (tids). With --ordered the times must ascend, with
--unit the comment must name it."""
import argparse
import re
import sys

EVENT = re.compile(r"(\S(?:.*\S)?)  (\d+)/(\d+) (?:\[(\d{3,})\] )?(\d+\.\d{9}): +(\d+) (\S+):")
FRAME = re.compile(r"\t *([0-9a-f]+) (.+) \((\S+)\)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ordered", action="store_true")
    parser.add_argument("--unit", default="samples")
    parser.add_argument("file")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    if lines[0] != "# ========":
        sys.exit("1: no header")
    if not any(line.startswith(f"# profile : unit = {arguments.unit},") for line in lines):
        sys.exit("no comment with the unit")
    events, total, lanes, last, is_open = 0, 0, set(), 0.0, False
    for number, line in enumerate(lines, 1):
        event = EVENT.fullmatch(line)
        if event and not is_open:
            name, pid, tid, _, time, period, _ = event.groups()
            if re.search(r"\s\d", name):
                sys.exit(f"{number}: a blank before a digit in {name!r}")
            if arguments.ordered and float(time) < last:
                sys.exit(f"{number}: {time} stands behind {last}")
            last = float(time)
            if int(period) == 0:
                sys.exit(f"{number}: it is worth nothing")
            events, total, is_open = events + 1, total + int(period), True
            lanes.add(int(tid))
        elif is_open and line == "":
            is_open = False
        elif is_open:
            frame = FRAME.fullmatch(line)
            if not frame or frame.group(2).startswith("("):
                sys.exit(f"{number}: no frame: {line!r}")
        elif line != "" and not line.startswith("#"):
            sys.exit(f"{number}: no event: {line!r}")
    if is_open:
        sys.exit("the last event has no end")
    print(events, total, len(lanes))


main()
