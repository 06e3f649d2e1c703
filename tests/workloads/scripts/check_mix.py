# Compares folded lines of mix.py (with -a, so that frames of the script are marked) with the chain that it runs.
# Prints: right, wrong, missing (a part of the chain is not there), other (code before main), of how many samples.
#   check_mix.py FOLDED DEPTH PROCESS
import re
import sys

path, depth, process = sys.argv[1], int(sys.argv[2]), sys.argv[3]
old = len(sys.argv) > 4  # names without the class or the function around them
ways = ["direct", "by_map", "by_sort", "by_generator", "by_init", "by_pattern", "by_reduce", "by_exception", "direct",
        "by_order", "by_delegation", "by_coroutine", "by_call", "by_classmethod", "by_partial"]
behind = {
    "by_sort": ["by_sort.<locals>.<lambda>"], "by_order": ["Ordered.__lt__"], "by_generator": ["generated"],
    "by_delegation": ["delegated", "generated"], "by_coroutine": ["awaited"], "by_init": ["Made.__init__"],
    "by_call": ["Made.__call__"], "by_classmethod": ["Made.of_class"],
    "by_pattern": ["sub", "by_pattern.<locals>.<lambda>"], "by_reduce": ["by_reduce.<locals>.<lambda>"],
}
chain = []
for left in range(depth, 0, -1):
    way = ways[left % len(ways)]
    chain += ["go", way] + behind.get(way, [])
chain += ["go", "burn"]
shown = [name.rsplit(".", 1)[-1] if old else name for name in chain]
# Functions of the libraries that may run at the leaf: the pattern of re.sub is looked up, objects are made.
libraries = {"_compile", "RegexFlag.__and__", "__and__", "Ordered.__init__", "__init__", "_compile_template", "get"}
right = wrong = missing = other = total = 0
examples = {}
for line in open(path, encoding="utf-8"):
    stack, _, count = line.rstrip("\n").rpartition(" ")
    frames = stack.split(";")
    if not frames[0].startswith(process):
        continue
    count = int(count)
    total += count
    script = [re.sub(r"^<lambda .*>$", "<lambda>", frame[:-4]) for frame in frames[1:] if frame.endswith("_[s]")]
    if "main" not in script:
        kind = "missing" if any("_PyEval_EvalFrameDefault" in frame for frame in frames) and not script else "other"
        if kind == "missing":
            missing += count
        else:
            other += count
        examples[kind, tuple(script[:3]), frames[-1]] = examples.get((kind, tuple(script[:3]), frames[-1]), 0) + count
        continue
    root = script[:script.index("main")]
    rest = script[script.index("main") + 1:]
    same = 0
    while same < min(len(rest), len(shown)) and rest[same] == shown[same]:
        same += 1
    tail = rest[same:]
    # What is behind the chain may only be a library's function, or the whole run stays away.
    is_right = (root in (["<module mix.py>"], ["Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run"],
                         ["_bootstrap", "_bootstrap_inner", "run"])
                and all(name in libraries for name in tail))
    if is_right and not any("_PyEval_EvalFrameDefault" in frame for frame in frames):
        right += count
    elif is_right:
        missing += count  # a native frame of the interpreter says that something is not shown
    else:
        wrong += count
        key = ("wrong", same, tuple(root[:3]), tuple(tail[:4]), frames[-1])
        examples[key] = examples.get(key, 0) + count
print(f"right {right} wrong {wrong} missing {missing} other {other} of {total}")
for key, count in sorted(examples.items(), key=lambda item: -item[1])[:8]:
    print("  ", count, key)
