"""A program of 100 MB with 300,000 symbols: whoever reads its symbol table whole, or keeps it, pays for that."""

import plain_run

PLACE = 6
TITLE = "a program of 100 MB with 300,000 symbols"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    with bench.load("many_functions", 300000, 1):
        return plain_run.measure(bench, [tool for tool in tools if tool.ends_on_large_programs])
