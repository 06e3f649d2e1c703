# two() does twice the work of one(). At its end it prints how much more time two() took than alone(): what a CPU does
# twice does not always take twice the time.
#   two.py SECONDS
import sys
import time


def one():
    return sum(i * i for i in range(20000))


def two():
    return one() + one()


def alone():
    return one()


taken = [0, 0]
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    begun = time.perf_counter()
    alone()
    middle = time.perf_counter()
    two()
    taken[0] += middle - begun
    taken[1] += time.perf_counter() - middle
print("two() : alone() =", taken[1] / taken[0], file=sys.stderr)
