# Functions that are made, run and freed, so that their memory is used again for others. The three numbers of a chain
# a_N, b_N, c_N are always equal.
count = 0
while True:
    count += 1
    made = {}
    source = f"""
def a_{count}():
    return b_{count}()
def b_{count}():
    return c_{count}()
def c_{count}():
    total = 0
    for i in range(20000):
        total += i
    return total
"""
    exec(compile(source, "churned.py", "exec"), made)
    made[f"a_{count}"]()
    made.clear()
