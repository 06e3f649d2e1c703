"""The user frames in what the tools print, read in the same way from each: {(thread name, frame): how often}, the frame being
NAMED, PLACED (its file and the place there, or that at least) or UNKNOWN. (thread name, SAMPLE) is how many samples there were,
with a user stack or without. Ours and bcc's with -a, which marks kernel frames."""

import re
from collections import Counter

NAMED, PLACED, UNKNOWN = "named", "placed", "unknown"
SAMPLE = "sample"
IN_MODULE = re.compile(r"\[.*\+0x[0-9a-f]+\]$")


def kind(name):
    if name == "[unknown]" or re.match(r"0x[0-9a-f]+$", name):
        return UNKNOWN
    return PLACED if IN_MODULE.match(name) else NAMED


def of_folded(lines):
    found = Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        if not count.isdigit():
            continue  # a remark of the tool
        thread, *names = stack.split(";")
        found[thread, SAMPLE] += int(count)
        for name in names:
            if not name.endswith("_[k]") and not name.startswith("[Missed "):
                found[thread, kind(name)] += int(count)
    return found


def of_bpftrace(lines):
    """`@[`, the user frames, `, `, the kernel frames, `, THREAD]: COUNT`; a stack without frames takes no line."""
    found = Counter()
    names, part = [], 0
    for line in lines:
        if line.startswith("@["):
            names, part = [], 0
            line = line[2:]
        if line.startswith("    "):
            if part == 0:
                names.append(line.strip().rpartition("+")[0] or line.strip())
        elif end := re.match(r"(?:, )*([^,].*)?\]: (\d+)$", line):
            found[end[1], SAMPLE] += int(end[2])
            for name in names:
                found[end[1], kind(name)] += int(end[2])
        elif line.startswith(","):
            part += 1
    return found


def of_perf(lines):
    """A line that begins with the thread's name, then `ADDRESS NAME (FILE)` lines. What it cannot name it still puts into
    its file, if it has one."""
    found = Counter()
    thread = ""
    for line in lines:
        if line and not line[0].isspace():
            thread = re.match(r"(.*?)\s+\d+\s", line)[1]
            found[thread, SAMPLE] += 1
        elif frame := re.match(r"\s+([0-9a-f]+) (.*) \((.*)\)$", line):
            address, name, file = frame.groups()
            if len(address) == 16 and address.startswith("ffff"):
                continue  # of the kernel
            if not name.startswith("[unknown]"):
                found[thread, NAMED] += 1
            else:
                found[thread, UNKNOWN if file == "[unknown]" else PLACED] += 1
    return found


READERS = {"profile": of_folded, "bcc": of_folded, "bpftrace": of_bpftrace, "perf": of_perf, "perf_dwarf": of_perf}


def read(tool_key, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return READERS[tool_key](line.rstrip("\n") for line in file)
