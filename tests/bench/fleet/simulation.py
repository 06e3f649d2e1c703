"""Hosts that send to a store what an agent has sent, and an hour of them."""

import random
import time

import recorded
from recorded import TICK_S, Tick
from server import Senders, Server, make_database, say

HOUR_S = 3600
CONNECTIONS = 8
TABLES = ("frames", "stacks", "samples")
# Of a rare stack, if hosts are varied. A minute of the services at 1999 Hz, 88,000 samples, had 39,500 stacks, and the number
# grew with the power 0.76 of the samples, 0.05 less for each doubling. The 86 million of an hour of 1,000 hosts are ten
# doublings more, and some 1.2 million stacks if that goes on. Of seven minutes at 19 Hz they are these times as many.
VARIANTS = 256


def whole_hour(now):
    """The begin of an hour that has passed, within a day of the store: it cuts its partitions there."""
    begin = int(now) - HOUR_S - TICK_S
    midnight = int(now) - int(now) % recorded.DAY_S
    if begin < midnight <= begin + HOUR_S:
        begin = midnight - HOUR_S
    return begin - begin % TICK_S


def host_name(number):
    return f"host-{number:04}"


class Simulation:
    """Hosts that send to a database what an agent has sent, for some ticks of an hour."""

    def __init__(self, server, database, recording, hosts, ticks, tick_s=TICK_S, is_buffered=False):
        self.server, self.database, self.recording = server, database, recording
        self.hosts, self.ticks, self.tick_s, self.is_buffered = hosts, ticks, tick_s, is_buffered
        self.begin_s = whole_hour(time.time())
        self.random = random.Random(49)
        self.ages = [self.random.randrange(HOUR_S // tick_s) for _ in range(hosts)]
        self.samples = 0
        self.most_parts = 0

    def jobs(self):
        for tick in range(self.ticks):
            for host in range(self.hosts):
                at = self.recording.at((self.ages[host] + tick) % (HOUR_S // self.tick_s))
                self.samples += sum(row.samples for row in at.rows("samples"))
                time_s = self.begin_s + self.tick_s * tick + self.tick_s * host // self.hosts
                batch, variant = self.random.getrandbits(64), self.random.randrange(self.recording.variants)
                yield lambda at=at, host=host, time_s=time_s, batch=batch, variant=variant: self.recording.requests(
                    at, host_name(host), time_s, batch, variant, self.database)
            if tick % 2:
                self.most_parts = max(self.most_parts, self.server.parts(self.database))

    def run(self, earlier):
        """Makes the tables with the stacks of the earlier ticks, and sends. Returns the senders' counts and the cost, with the
        merges that it has caused."""
        make_database(self.server, self.database)
        stacks = [Tick([insert for insert in tick.inserts if insert.table != "samples"]) for tick in earlier]
        Senders(self.server, 1).send(iter([lambda tick=tick: self.recording.requests(
            tick, "", self.begin_s, 0, 0, self.database) for tick in stacks]))
        if self.is_buffered:
            self.put_buffers()
        self.server.settle()
        senders, before = Senders(self.server, CONNECTIONS), self.server.costs()
        senders.send(self.jobs())
        sent_s = time.monotonic() - before[0]
        if self.is_buffered:
            for table in TABLES:
                self.server.ask(f"OPTIMIZE TABLE {table}", self.database)
        self.server.settle()
        cost = Server.between(before, self.server.costs())
        cost.wall_s = sent_s
        self.check()
        return senders, cost

    def put_buffers(self):
        """Inserts go to memory, and to disk after 10 seconds: what a server loses that is killed, it has accepted."""
        for table in TABLES:
            self.server.ask(f"RENAME TABLE {table} TO {table}_on_disk", self.database)
            self.server.ask(f"CREATE TABLE {table} AS {table}_on_disk ENGINE = Buffer({self.database}, {table}_on_disk, 1, 10, "
                            "10, 1000000, 1000000, 1000000000, 1000000000)", self.database)

    def check(self):
        stored = self.server.number("SELECT sum(samples) FROM samples", self.database)
        if stored != self.samples:
            raise SystemExit(f"fleet: {stored} samples of {self.samples} are in the store")
        hosts = self.server.number("SELECT uniqExact(host) FROM samples", self.database)
        if hosts != self.hosts:
            raise SystemExit(f"fleet: {hosts} hosts of {self.hosts} are in the store")
        unknown = self.server.number("SELECT count() FROM samples WHERE (service, stack) NOT IN (SELECT service, stack FROM "
                                     "stacks)", self.database)
        if unknown:
            raise SystemExit(f"fleet: {unknown} rows have a stack that is not in the store")
        say(f"{self.samples} samples of {hosts} hosts are in the store")

    def fill_hour(self, database, is_varied, hosts):
        """Another database with a whole hour of some of the hosts: the same ticks again and again. If they are varied, the rare
        stacks are others each time; if not, all hosts have the recording's stacks."""
        bits, mask = self.recording.variant_bits, self.recording.rare_mask
        make_database(self.server, database)
        self.server.ask("CREATE TABLE rare (stack UInt64) ENGINE = Memory", database)
        rare = b"".join(recorded.number(stack & mask) for stack in sorted(self.recording.rare))
        if rare:
            self.server.ask("INSERT INTO rare FORMAT RowBinary", database, rare)

        def other(variant):
            variant = f"bitOr(bitAnd(stack, {mask}), bitShiftLeft(toUInt64({variant}), {64 - bits}))"
            return f"if(bitAnd(stack, {mask}) IN (SELECT stack FROM rare), {variant}, stack)"

        length_s = self.ticks * self.tick_s
        columns = ", ".join(name for name in self.server.types(database)["samples"] if name not in ("time", "stack"))
        for part in range(HOUR_S // length_s):
            variant = other(f"cityHash64(host, {part}) % {self.recording.variants}" if is_varied else "0")
            self.server.ask(f"INSERT INTO samples (time, stack, {columns}) SELECT time + {part * length_s}, {variant}, {columns} "
                            f"FROM {self.database}.samples WHERE host < '{host_name(hosts)}'", database)
        self.server.ask(f"INSERT INTO frames SELECT * FROM {self.database}.frames", database)
        # Only those that the hosts have met.
        each = f"(SELECT day, service, stack, frames FROM {self.database}.stacks LIMIT 1 BY service, bitAnd(stack, {mask}))"
        variants = self.recording.variants if is_varied else 1
        self.server.ask(f"INSERT INTO stacks SELECT day, service, new, frames FROM (SELECT day, service, {other('variant')} AS new, "
                        f"frames FROM {each} ARRAY JOIN range({variants}) AS variant) "
                        "WHERE (service, new) IN (SELECT service, stack FROM samples) LIMIT 1 BY service, new", database)
        self.server.settle()
