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
        self.value = go(left)

    def __call__(self, left):
        return go(left)

    @classmethod
    def of_class(cls, left):
        return go(left)


class Ordered:
    def __init__(self, left):
        self.left = left

    def __lt__(self, other):
        return go(self.left) < 0


def generated(left):
    yield go(left)


def delegated(left):
    yield from generated(left)


async def awaited(left):
    return go(left)


def direct(left):
    return go(left)


def by_map(left):
    return list(map(go, [left]))[0]


def by_sort(left):
    return sorted([left, left], key=lambda number: go(left))


def by_order(left):
    return min(Ordered(left), Ordered(left)).left


def by_generator(left):
    return next(generated(left))


def by_delegation(left):
    return sum(delegated(left))


def by_coroutine(left):
    try:
        awaited(left).send(None)
    except StopIteration as end:
        return end.value


def by_init(left):
    return Made(left).value


def by_call(left):
    return Made.__call__(None, left)


def by_classmethod(left):
    return Made.of_class(left)


def by_pattern(left):
    return len(re.sub("a", lambda match: str(go(left))[:1], "a"))


def by_reduce(left):
    return functools.reduce(lambda one, other: go(left), [1, 2])


def by_partial(left):
    return functools.partial(go, left)()


def by_exception(left):
    try:
        raise ValueError
    except ValueError:
        return go(left)


ways = [direct, by_map, by_sort, by_generator, by_init, by_pattern, by_reduce, by_exception, direct, by_order,
        by_delegation, by_coroutine, by_call, by_classmethod, by_partial]


def go(left):
    if left <= 0:
        return burn()
    return ways[left % len(ways)](left - 1)


def main():
    while True:
        go(depth)


if len(sys.argv) > 2:
    threading.Thread(target=main, daemon=True).start()
main()
