# Counts the folded lines of churn_lines.py, taken with --lines, in which the lines of the three calls do not belong to
# each other. A function that has not called yet has any line up to that.
#   check_churn_lines.py FOLDED
import re
import sys

checked = wrong = 0
for line in open(sys.argv[1], encoding="utf-8"):
    stack, _, count = line.rstrip("\n").rpartition(" ")
    found = [re.fullmatch(r"(outer|middle|inner) churned.py:(\d+)_\[s\]", frame) for frame in stack.split(";")]
    gaps = [int(each[2]) - {"outer": 2, "middle": 102, "inner": 202}[each[1]] for each in found if each]
    if len(gaps) < 2:
        continue
    checked += int(count)
    if len(set(gaps[:-1])) != 1 or not -1 <= gaps[-1] <= gaps[0]:
        wrong += int(count)
        print(line.rstrip("\n")[-300:])
print(f"wrong {wrong} of {checked}")
