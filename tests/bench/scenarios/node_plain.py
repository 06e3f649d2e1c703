"""node as people start it: 100 MB of a program, and code compiled at run time that nobody can name."""

import node
import plain_run

PLACE = 7
TITLE = "node"
METRICS = plain_run.METRICS
EXTRA = {}


def measure(bench, tools):
    return node.measure(bench, tools)
