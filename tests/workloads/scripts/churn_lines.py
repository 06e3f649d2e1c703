# Functions that are made, run and freed, so that their memory is used again for others of the same names, which begin
# in the same lines. In each chain outer, middle, inner the calls are the same number of lines behind that.
#   the lines of the calls are 2 + N, 102 + N and 202 + N
count = 0
while True:
    count += 1
    gap = "\n" * (count % 90)
    source = (f"def outer():{gap}\n return middle()\n" + "\n" * (98 - count % 90)
              + f"def middle():{gap}\n return inner()\n" + "\n" * (98 - count % 90)
              + f"def inner():{gap}\n return sum(n * n for n in range(4000))\n")
    made = {}
    exec(compile(source, "churned.py", "exec"), made)
    made["outer"]()
    made.clear()
