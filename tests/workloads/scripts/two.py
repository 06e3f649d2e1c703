# two() does twice the work of one().
#   two.py SECONDS
import sys
import time


def one():
    return sum(i * i for i in range(20000))


def two():
    return one() + one()


def alone():
    return one()


end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    alone()
    two()
