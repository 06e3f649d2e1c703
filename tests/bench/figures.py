"""What is measured, and how several rounds of it become one number. Smaller is better, unless it is a number of samples or of
frames with names.

Figures are {scenario: {metric: {tool: [a value a round, or None]}}}.
"""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    label: str
    digits: int


def scenario_key(scenario):
    """The name of its file."""
    return scenario.__name__.rpartition(".")[2]


def median(values):
    present = [value for value in values if value is not None]
    return statistics.median(present) if present else None


def ratio(values, base):
    """How many times the base: the median of the ratios within each round, where both met the same machine."""
    pairs = [(value, other) for value, other in zip(values, base) if value is not None and other]
    return statistics.median(value / other for value, other in pairs) if pairs else None
