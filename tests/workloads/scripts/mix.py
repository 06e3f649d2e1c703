# A chain of known calls: each function is named for its way of being called, and the depth decides which one comes
# next. Below main() there is always the same chain, which check_mix.py computes.
#   mix.py DEPTH [threads]
import functools
import re
import sys
import threading

depth = int(sys.argv[1])


def burn():
    total = 0
    for i in range(400):
        total += i * i % 7
    return total


class Made:
    def __init__(self, left):
        self.value = go(left)  # at Made.__init__

    def __call__(self, left):
        return go(left)  # at Made.__call__

    @classmethod
    def of_class(cls, left):
        return go(left)  # at Made.of_class


class Ordered:
    def __init__(self, left):
        self.left = left

    def __lt__(self, other):
        return go(self.left) < 0  # at Ordered.__lt__


def generated(left):
    yield go(left)  # at generated


def delegated(left):
    yield from generated(left)  # at delegated


async def awaited(left):
    return go(left)  # at awaited


def direct(left):
    return go(left)  # at direct


def by_map(left):
    return list(map(go, [left]))[0]  # at by_map


def by_sort(left):
    return sorted([left, left], key=lambda number: go(left))  # at by_sort by_sort.<locals>.<lambda>


def by_order(left):
    return min(Ordered(left), Ordered(left)).left  # at by_order


def by_generator(left):
    return next(generated(left))  # at by_generator


def by_delegation(left):
    return sum(delegated(left))  # at by_delegation


def by_coroutine(left):
    try:
        awaited(left).send(None)  # at by_coroutine
    except StopIteration as end:
        return end.value


def by_init(left):
    return Made(left).value  # at by_init


def by_call(left):
    return Made.__call__(None, left)  # at by_call


def by_classmethod(left):
    return Made.of_class(left)  # at by_classmethod


def by_pattern(left):
    return len(re.sub("a", lambda match: str(go(left))[:1], "a"))  # at by_pattern by_pattern.<locals>.<lambda>


def by_reduce(left):
    return functools.reduce(lambda one, other: go(left), [1, 2])  # at by_reduce by_reduce.<locals>.<lambda>


def by_partial(left):
    return functools.partial(go, left)()  # at by_partial


def by_exception(left):
    try:
        raise ValueError
    except ValueError:
        return go(left)  # at by_exception


ways = [direct, by_map, by_sort, by_generator, by_init, by_pattern, by_reduce, by_exception, direct, by_order,
        by_delegation, by_coroutine, by_call, by_classmethod, by_partial]


def go(left):
    if left <= 0:
        return burn()  # at go:burn
    return ways[left % len(ways)](left - 1)  # at go


def main():
    while True:
        go(depth)  # at main


if len(sys.argv) > 2:
    threading.Thread(target=main, daemon=True).start()
main()
