# Counts the folded lines of churn.py, churn.php, churn.rb, churn.pl, churn.js or Churn.java whose numbers are not equal, or not in
# their order.
#   check_churn.py FOLDED
import re
import sys

checked = wrong = 0
for line in open(sys.argv[1], encoding="utf-8"):
    stack, _, count = line.rstrip("\n").rpartition(" ")
    frames = [re.fullmatch(r"(?:main::|Churn\$Made(\d+)\.)?([abc])_(\d+)_\[s\]", frame) for frame in stack.split(";")[1:]]
    churned = [(frame[2], frame[3]) for frame in frames if frame]
    classes = {(frame[1], frame[3]) for frame in frames if frame and frame[1]}
    closures = re.findall(r";\{closure churn.php[^;]*:(\d+)\}", stack)
    churned += list(zip("abcd", closures))
    if not churned:
        continue
    checked += int(count)
    letters = [letter for letter, _ in churned]
    is_mixed = any(of_class != number for of_class, number in classes)
    if is_mixed or len({number for _, number in churned}) != 1 or letters != sorted(set(letters)):
        wrong += int(count)
        print(line.rstrip("\n")[-300:])
print(f"wrong {wrong} of {checked}")
