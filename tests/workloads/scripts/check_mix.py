# Compares folded lines of mix.py, mix.php, mix.rb, mix.pl, mix.js or Mix.java (with -a, so that frames of the script are marked)
# with the chain that they run. With the script's own text they must have lines: those that the script says are calls.
# Prints: right, wrong, missing (a part of the chain is not there), other (code before main), of how many samples; then
# how many frames of the chain had the right line, a wrong one (those are wrong samples, too), and none.
# Code of one method that Java's compiler has put into another may lie between two places of a third one, and nothing in
# the engine says so: one innermost frame in a thousand may be of a neighbour, and counts as missing.
#   check_mix.py FOLDED DEPTH python|old-python|php|ruby|perl|node|optimised-node|java [SCRIPT]
import re
import sys

path, depth, language = sys.argv[1], int(sys.argv[2]), sys.argv[3]
old = language == "old-python"  # names without the class or the function around them
python = {
    "ways": ["direct", "by_map", "by_sort", "by_generator", "by_init", "by_pattern", "by_reduce", "by_exception", "direct",
             "by_order", "by_delegation", "by_coroutine", "by_call", "by_classmethod", "by_partial"],
    "behind": {
        "by_sort": ["by_sort.<locals>.<lambda>"], "by_order": ["Ordered.__lt__"], "by_generator": ["generated"],
        "by_delegation": ["delegated", "generated"], "by_coroutine": ["awaited"], "by_init": ["Made.__init__"],
        "by_call": ["Made.__call__"], "by_classmethod": ["Made.of_class"],
        "by_pattern": ["sub", "by_pattern.<locals>.<lambda>"], "by_reduce": ["by_reduce.<locals>.<lambda>"],
    },
    # Functions of the libraries that may run at the leaf: the pattern of re.sub is looked up, objects are made.
    "libraries": {"_compile", "RegexFlag.__and__", "__and__", "Ordered.__init__", "__init__", "_compile_template", "get"},
    "roots": (["<module mix.py>"], ["Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run"],
              ["_bootstrap", "_bootstrap_inner", "run"]),
    "interpreter": "_PyEval_EvalFrameDefault",
}
php = {
    "ways": ["direct", "by_map", "by_sort", "by_generator", "by_constructor", "by_pattern", "by_reduce", "by_exception",
             "by_static", "by_delegation", "by_invoke", "by_magic", "by_method", "by_iteration"],
    "behind": {
        "by_map": ["array_map"], "by_sort": ["usort", "{closure}"], "by_generator": ["Generator::current", "generated"],
        "by_delegation": ["delegated", "generated"], "by_constructor": ["Made::__construct"],
        "by_pattern": ["preg_replace_callback", "{closure}"], "by_reduce": ["array_reduce", "{closure}"],
        "by_static": ["Made::of_class"], "by_invoke": ["Plain::__invoke"], "by_magic": ["Plain::__callStatic"],
        "by_method": ["Generator::current", "Plain::each"], "by_iteration": ["Walked::getIterator"],
    },
    # Objects are made: exceptions, iterators, generators by their functions.
    "libraries": {"Exception::__construct", "ArrayIterator::__construct", "generated", "delegated", "Plain::each", "Plain::anything",
                  "array_map", "usort", "preg_replace_callback", "array_reduce", "Generator::current", "count", "strlen"},
    "roots": (["<main mix.php>"],),
    "interpreter": "execute_ex",
}
blocks = ("by_each", "by_map", "by_sort", "by_proc", "by_lambda", "by_gsub", "by_inject", "by_times")
ruby = {
    "ways": ["direct", "by_each", "by_map", "by_sort", "by_proc", "by_new", "by_rescue", "by_lambda", "by_send", "by_gsub",
             "by_method", "by_missing", "by_yield", "by_define", "by_inject", "by_times"],
    "behind": {
        **{way: ["block in " + way] for way in blocks}, "by_new": ["initialize"], "by_rescue": ["rescue in by_rescue"],
        "by_missing": ["method_missing"], "by_yield": ["yielding", "block in by_yield"],
        "by_define": ["block in <class:Plain>"],
    },
    "libraries": set(),
    "roots": (["<main mix.rb>"], ["block in <main>"]),
    "interpreter": "rb_vm_exec",
}
perl = {
    "ways": ["direct", "by_map", "by_sort", "by_eval", "by_compare", "by_first", "by_evals", "by_reduce", "by_new", "by_text",
             "by_method", "by_autoload", "by_eval", "by_destroy", "by_tie", "by_die", "by_pattern", "by_eval", "by_code",
             "by_reference", "by_overload", "by_evals", "by_closure", "by_goto", "by_local", "by_text"],
    "behind": {
        "by_compare": ["compared"], "by_first": ["<__ANON__>"], "by_reduce": ["<__ANON__>"], "by_new": ["Made::new"],
        "by_method": ["Plain::method"], "by_autoload": ["Plain::AUTOLOAD"], "by_destroy": ["Dying::DESTROY"],
        "by_tie": ["Tied::FETCH"], "by_overload": ["Plain::<__ANON__>"], "by_closure": ["<__ANON__>"],
        "by_local": ["<__ANON__>"],
    },
    "instead": {"by_goto": ["jumped"]},  # goto &jumped takes the place of its caller
    "libraries": {"Plain::new", "Dying::new", "Tied::TIESCALAR", "Plain::DESTROY", "Made::new", "by_goto"},
    "roots": (["<main mix.pl>"],),
    "interpreter": "Perl_runops_standard",
}
node = {
    "ways": ["direct", "byMap", "bySort", "byGenerator", "byNew", "byCall", "byStatic", "byPattern", "byException", "byReduce",
             "byArrow", "byGetter", "bySuper", "byApply", "byBound", "byIteration", "byJson", "byProxy"],
    "behind": {
        "byMap": ["mapped"], "bySort": ["compared"], "byGenerator": ["generated"], "byNew": ["Made"],
        "bySuper": ["Derived", "Made"], "byStatic": ["made"], "byGetter": ["get got"], "byPattern": ["replaced"],
        "byReduce": ["reduced"], "byArrow": ["arrow"], "byJson": ["toJSON"], "byProxy": ["trapped"],
    },
    # Functions of the language, which have frames or not, as the engine likes.
    "ignored": {"map", "sort", "replace", "[Symbol.replace]", "reduce", "next", "stringify", "apply", "call", "create", "bind",
                "Error", "Proxy", "String", "exec", "test", "[Symbol.iterator]", "values", "get"},
    "libraries": set(),
    "roots": (),
    "root_end": "<anonymous mix.js>",
    "interpreter": "Builtins_InterpreterEntryTrampoline",
}
java = {
    "ways": ["direct", "byStream", "bySort", "byEach", "byNew", "byReference", "byReflection", "byException", "bySuper",
             "byGuard", "byIterator", "byPrivilege", "byClass", "byFinally", "direct"],
    "behind": {
        "byStream": ["byStream:lambda", "quietly"], "bySort": ["bySort:lambda", "quietly"],
        "byEach": ["byEach:lambda", "quietly"], "byNew": ["Made.<init>"], "bySuper": ["Derived.work", "Base.work"],
        "byGuard": ["Base.guarded"], "byIterator": ["Walked.iterator", "quietly"],
        "byPrivilege": ["byPrivilege:lambda", "quietly"], "byClass": ["1.call"],
    },
    "ignored": {""},  # what is not the program's own
    # Objects are made.
    "libraries": {"Derived.<init>", "Base.<init>", "Walked.<init>", "Thrown.<init>", "1.<init>"},
    "roots": (),
    "root_end": "",
    "interpreter": "no such frame",
}
truth = {"php": php, "ruby": ruby, "perl": perl, "node": node, "optimised-node": node, "java": java}.get(language, python)
ways, behind, libraries = truth["ways"], truth["behind"], truth["libraries"]


# The lines that call the next function of the chain, by the name of the one that has them, and those of each function.
called_at, lines_of = {}, {}
if len(sys.argv) > 4:
    begun, is_decorated = [], False
    for number, text in enumerate(open(sys.argv[4], encoding="utf-8"), 1):
        said = re.search(r"(?:#|//) at (.*)$", text)
        called_at.update({name: number for name in said[1].split()} if said else {})
        begins = re.match(r"\s*(?:async |static )*(?:def|function|sub) (\w+)", text)
        if truth is java:
            begins = re.match(r"\s*(?:(?:static |public |synchronized )*[\w<>]+ (\w+)|\w+)\([^;]*$", text)
        if begins:
            name = begins[1] or "<init>"
            # A function that has not begun is in the line of its decorator.
            begun.append((len(text) - len(text.lstrip()), [name, number - is_decorated, number]))
            lines_of.setdefault(name, []).append(begun[-1][1])
        elif begun and text.strip() not in ("", "}"):
            begun[-1][1][2] = number
        is_decorated = text.lstrip().startswith("@")


def without_line(frame):
    found = re.fullmatch(r"(.*) (\S+\.(?:py|php|rb|pl|js|java)|\(eval \d+\))(?::(\d+))?", frame)
    return (found[1], int(found[3] or 0)) if found else (frame, 0)


def has_right_line(key, line, is_inner):
    if line == called_at.get(key, line):
        return True
    name = re.sub(r"^.*(::|\.)", "", key.split(":")[0])
    return is_inner and any(first <= line <= last for _, first, last in lines_of.get(name, []))


def plain(frame):
    if truth is java:
        frame = re.sub(r"^Mix\.lambda\$(\w+)\$\d+$", r"\1:lambda", frame)
        return re.sub(r"^Mix[.$]", "", frame) if not re.match(r"[a-z]+\.|Mix\$\$Lambda|~", frame) else ""
    frame = re.sub(r"^(.*::)?\{closure .*\}$", "{closure}", frame)
    frame = re.sub(r"<__ANON__ .*>$", "<__ANON__>", re.sub(r"^main::", "", frame))
    frame = re.sub(r"^<function \d+ of (.*)>$", r"<anonymous \1>", frame)
    return re.sub(r"^<lambda .*>$", "<lambda>", frame)


chain, keys = [], []
for left in range(depth, 0, -1):
    way = ways[left % len(ways)]
    chain += ["go", *truth.get("instead", {}).get(way, [way]), *behind.get(way, [])]
    names = {"{closure}": way + "{closure}", "<__ANON__>": way + "<__ANON__>"}
    if truth is java:
        names["go"] = "go:" + way
    keys += [names.get(name, name) for name in chain[len(keys):]]
chain += ["go", "burn"]
keys += ["go:burn", "burn"]
shown = [name.rsplit(".", 1)[-1] if old else name for name in chain]
right = wrong = missing = other = total = 0
lined = unlined = mislined = 0
neighbours = 0
examples = {}
for line in open(path, encoding="utf-8"):
    stack, _, count = line.rstrip("\n").rpartition(" ")
    frames = stack.split(";")
    count = int(count)
    total += count
    script, lines = [], []
    for frame in frames[1:]:
        if frame.endswith("_[s]"):
            name, number = without_line(frame[:-4]) if called_at else (frame[:-4], 0)
            lines += [] if plain(name) in truth.get("ignored", ()) else [number]
            script.append(plain(name))
    if "main" not in script:
        kind = "missing" if any(truth["interpreter"] in frame for frame in frames) and not script else "other"
        if kind == "missing":
            missing += count
        else:
            other += count
        examples[kind, tuple(script[:3]), frames[-1]] = examples.get((kind, tuple(script[:3]), frames[-1]), 0) + count
        continue
    root = script[:script.index("main")]
    rest = [name for name in script[script.index("main") + 1:] if name not in truth.get("ignored", ())]
    same = 0
    while same < min(len(rest), len(shown)) and rest[same] == shown[same]:
        same += 1
    tail = rest[same:]
    # What is behind the chain may only be a library's function, or the whole run stays away.
    is_root = root in truth["roots"] or root[-1:] == [truth.get("root_end")]
    if language == "optimised-node":
        # What the compiler has put into its callers has no frame; the others are in order.
        names = iter(shown)
        is_root = True
        same, tail = 0, [name for name in rest if name not in names and name not in libraries]
    is_right = is_root and all(name in libraries for name in tail)
    if called_at and is_right:
        above = lines[len([name for name in root if name not in truth.get("ignored", ())]):]
        for i, (key, number) in enumerate(zip(["main", *keys[:same]], above)):
            is_lined = has_right_line(key, number, i == same)
            lined += count if number and is_lined else 0
            unlined += count if not number and key in called_at else 0
            if number and not is_lined:
                mislined += count
                is_right = False
                example = ("line", key, number, tuple(above[i + 1:i + 2]), script[-1], frames[-1])
                examples[example] = examples.get(example, 0) + count
    if is_right and not any(truth["interpreter"] in frame for frame in frames):
        right += count
    elif is_right:
        missing += count  # a native frame of the interpreter says that something is not shown
    elif truth is java and len(tail) == 1 and script[-1] == tail[0] and tail[0] in ways and frames[-1].endswith("_[s]"):
        neighbours += count
        examples["neighbour", shown[same], tail[0]] = examples.get(("neighbour", shown[same], tail[0]), 0) + count
    else:
        wrong += count
        key = ("wrong", same, tuple(root[:3]), tuple(shown[same:same + 2]), tuple(tail[:4]), frames[-1])
        examples[key] = examples.get(key, 0) + count
if neighbours * 1000 > total + 1000:
    wrong += neighbours
else:
    missing += neighbours
print(f"right {right} wrong {wrong} missing {missing} other {other} of {total}"
      + (f" lined {lined} wrong {mislined} unlined {unlined}" if called_at else ""))
for key, count in sorted(examples.items(), key=lambda item: (item[0][0] == "other", -item[1]))[:8]:
    print("  ", count, key)
