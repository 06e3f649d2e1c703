"""The requests that a real agent has sent to its store, and the same requests as other hosts send them at other times.

A request is an INSERT of rows in ClickHouse's format RowBinary. Of each row only the columns change that tell hosts, times
and requests apart; everything else is as the agent has written it, and so is the order in which stacks and frames come
before the samples that need them.
"""

import os
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field

TICK_S = 10
DAY_S = 86_400
WIDTHS = {"UInt8": 1, "UInt16": 2, "UInt32": 4, "UInt64": 8, "Date": 2, "DateTime": 4}
# The columns that are replaced, in the order of the table.
REPLACED = {"samples": ("time", "host", "stack", "batch"), "stacks": ("day", "stack"), "frames": ("day",)}


def size_at(data, at):
    size = shift = 0
    while True:
        byte = data[at]
        size |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return size, at


def end_of_value(data, at, of_type):
    if of_type.startswith("Array("):
        size, at = size_at(data, at)
        for _ in range(size):
            at = end_of_value(data, at, of_type[len("Array("):-1])
        return at
    if of_type == "String":
        size, at = size_at(data, at)
        return at + size
    return at + WIDTHS[of_type.partition("(")[0]]


def text(value):
    """A short text as RowBinary has it."""
    return bytes([len(value)]) + value.encode()


def number(value, width=8):
    return value.to_bytes(width, "little")


@dataclass
class Row:
    parts: list  # of bytes: before, between and behind the columns that are replaced
    stack: int
    service: bytes
    samples: int


@dataclass
class Insert:
    """A recorded request."""
    table: str
    head: bytes  # its request line and headers, without the length of the body
    path: str
    batch: str  # 16 digits, in the path
    rows: list


@dataclass
class Tick:
    inserts: list = field(default_factory=list)

    def rows(self, table):
        return [row for insert in self.inserts if insert.table == table for row in insert.rows]


def rows_of(data, names, types, table):
    at, rows = 0, []
    while at < len(data):
        parts, begin, found = [], at, {}
        for name in names:
            end = end_of_value(data, at, types[name])
            found[name] = data[at:end]
            if name in REPLACED[table]:
                parts.append(data[begin:at])
                begin = end
            at = end
        parts.append(data[begin:at])
        stack = int.from_bytes(found.get("stack", b""), "little")
        rows.append(Row(parts, stack, found["service"], int.from_bytes(found.get("samples", b""), "little")))
    return rows


def read(folder, types):
    """The ticks of a run, from the requests that tests/tools/store_proxy.py has kept. `types`: {table: {column: type}}."""
    ticks = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            head, _, body = file.read().partition(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        found = re.search(r"query_id=profile-([0-9a-f]{16})-\d+&query=INSERT%20INTO%20(\w+)%28([^&]*)%29", path)
        if not found:
            continue  # a question
        batch, table, names = found[1], found[2], found[3].split("%2C")
        rows = rows_of(zlib.decompress(body, 31), names, types[table], table)
        ticks.setdefault(batch, Tick()).inserts.append(Insert(table, head, path, batch, rows))
    return list(ticks.values())


class Recording:
    """What hosts send, hour after hour.

    An agent sends all stacks again once an hour, so a host that is `age` ticks after that is at this tick of the recording,
    which begins with a new agent. After its end come the ticks of its last half again and again, with the stacks that were
    new in them: more than there really are, because new stacks become rarer.

    One host of the recording does not have the rare stacks of others. So a stack that it has met in one tick only may have
    another number on each host, and when the tick comes again: one of `variants`. The variant is in the first bits.
    """

    def __init__(self, ticks, variants):
        self.ticks = ticks
        self.variant_bits = variants.bit_length() - 1
        ticks_of_stack = Counter()
        for tick in ticks:
            ticks_of_stack.update({row.stack for row in tick.rows("samples")})
        self.stacks = len(ticks_of_stack)
        self.rare = {stack for stack, count in ticks_of_stack.items() if count == 1}
        self.rows_a_tick = sum(len(tick.rows("samples")) for tick in ticks) / len(ticks)
        self.samples_a_tick = sum(row.samples for tick in ticks for row in tick.rows("samples")) / len(ticks)

    @property
    def variants(self):
        return 1 << self.variant_bits

    @property
    def rare_mask(self):
        """Of the bits of a number that all variants share."""
        return (1 << 64 - self.variant_bits) - 1

    def at(self, age):
        if age < len(self.ticks):
            return self.ticks[age]
        half = len(self.ticks) // 2
        return self.ticks[half + (age - half) % (len(self.ticks) - half)]

    def bytes_of_rows(self, insert, host, time_s, batch, variant):
        first_bits = variant << 64 - self.variant_bits
        day = number(time_s // DAY_S, 2)
        at_once = {"time": number(time_s, 4), "day": day, "host": text(host), "batch": number(batch)}
        pieces = []
        for row in insert.rows:
            for part, column in zip(row.parts, REPLACED[insert.table]):
                pieces.append(part)
                if column == "stack":
                    pieces.append(number(row.stack & self.rare_mask | first_bits if row.stack in self.rare else row.stack))
                else:
                    pieces.append(at_once[column])
            pieces.append(row.parts[-1])
        return b"".join(pieces)

    def requests(self, tick, host, time_s, batch, variant, database):
        """(path, body, bytes on the wire, rows) of each request of a host's tick."""
        for insert in tick.inserts:
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            rows = self.bytes_of_rows(insert, host, time_s, batch, variant)
            body = packer.compress(rows) + packer.flush()
            path = insert.path.replace(insert.batch, f"{batch:016x}")
            path = re.sub(r"database=\w+", f"database={database}", path)
            yield path, body, len(insert.head) + 4 + len(body), len(insert.rows)


def without_new_stacks(ticks):
    """The same run of an agent that has sent all its stacks before."""
    return [Tick([insert for insert in tick.inserts if insert.table == "samples"]) for tick in ticks]


def joined(ticks, count):
    """The same run with ticks that are so many times as long: what is the same in them is added up."""
    return [join(ticks[at:at + count]) for at in range(0, len(ticks) - count + 1, count)]


def join(ticks):
    by_table = {}
    for tick in ticks:
        for insert in tick.inserts:
            by_table.setdefault(insert.table, []).append(insert)
    inserts = []
    for table in ("frames", "stacks", "samples"):
        if table not in by_table:
            continue
        first = by_table[table][0]
        rows = [row for insert in by_table[table] for row in insert.rows]
        if table == "samples":
            rows = added_up(rows)
        # All requests of a tick have its batch.
        path = first.path.replace(first.batch, ticks[0].inserts[0].batch)
        inserts.append(Insert(table, first.head, path, ticks[0].inserts[0].batch, rows))
    return Tick(inserts)


def added_up(rows):
    """Of rows with the same stack in the same place: the sum. The last part begins with nothing, behind the batch."""
    sums = {}
    for row in rows:
        key = (row.parts[2], row.stack)
        value, samples = (int.from_bytes(row.parts[3][at:at + 8], "little") for at in (0, 8))
        if key in sums:
            sums[key][1] += value
            sums[key][2] += samples
        else:
            sums[key] = [row, value, samples]
    return [Row([*row.parts[:3], number(value) + number(samples), row.parts[4]], row.stack, row.service, samples)
            for row, value, samples in sums.values()]
