# Checks what Linux 5.10 refuses in BPF objects and newer kernels allow, from what llvm-objdump -dr prints of one object on
# stdin. Prints each fault, and the deepest chain of calls of each program.
# - A loop must go back with a jump. Where the compiler enters a loop in its middle, another instruction may fall into it.
# - The stacks of a chain of calls have 512 bytes together, each in units of 32. One unit is kept for another compiler.
import re
import sys

MOST_STACK = 480


class Instruction:
    def __init__(self, at, code, text):
        self.at, self.code, self.text, self.symbol = at, code, text, None

    def calls_function(self):
        return self.code.startswith("85 10")

    def target(self):
        """Where a jump goes, counted like `at`; None for others."""
        found = re.search(r"goto ([+-]\d+)", self.text)
        return self.at + 1 + int(found[1]) if found else None


def read_functions(lines):
    functions, sections, section, name = {}, {}, "", ""
    for line in lines:
        if found := re.match(r"Disassembly of section (.*):", line):
            section = found[1]
        elif found := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            if not found[1].startswith("LBB"):
                name = found[1]
                functions[name], sections[name] = [], section
        elif found := re.match(r"\s+(\d+):\t((?:[0-9a-f]{2} )+)\t?(.*)", line):
            functions[name].append(Instruction(int(found[1]), found[2], found[3].strip()))
        elif found := re.match(r"\s+[0-9a-f]+:\s+R_BPF_64_32\s+(\S+)", line):
            functions[name][-1].symbol = found[1]
    return {name: code for name, code in functions.items() if code}, sections


def falls_back(code):
    """The first instruction that falls into a loop that is under way, as the kernel's check_cfg() looks for it."""
    index = {one.at: i for i, one in enumerate(code)}

    def successors(i):
        one = code[i]
        if one.text.startswith("exit"):
            return []
        to = index.get(one.target())
        if one.text.startswith("goto"):
            return [(to, True)]
        return [(i + 1, to is not None)] + ([(to, True)] if to is not None else [])

    under_way, done, path = {0}, set(), [(0, iter(successors(0)))]
    while path:
        i, rest = path[-1]
        for to, is_jump in rest:
            if to is None or to >= len(code) or to in done:
                continue
            if to in under_way:
                if not is_jump:
                    return code[i]
                continue
            under_way.add(to)
            path.append((to, iter(successors(to))))
            break
        else:
            under_way.discard(i)
            done.add(i)
            path.pop()
    return None


def stack_of(code):
    deepest = 1
    for i, one in enumerate(code):
        for found in re.finditer(r"\(r10 - (\d+)\)", one.text):
            deepest = max(deepest, int(found[1]))
        if found := re.fullmatch(r"(r\d) = r10", one.text):
            for other in code[i + 1:i + 4]:
                if below := re.fullmatch(found[1] + r" \+= -(\d+)", other.text):
                    deepest = max(deepest, int(below[1]))
                    break
    return (deepest + 31) // 32 * 32


functions, sections = read_functions(sys.stdin)
begins = {code[0].at: name for name, code in functions.items() if sections[name] == ".text"}
faults = 0


def callees(name):
    for one in functions[name]:
        if not one.calls_function():
            continue
        offset = int.from_bytes(bytes.fromhex(one.code.replace(" ", ""))[4:8], "little", signed=True)
        known = one.symbol if one.symbol in functions else begins.get((0 if one.symbol else one.at) + 1 + offset)
        if known is None:
            sys.exit(f"{name}: a call at {one.at} leads nowhere")
        yield known


deepest_of = {}


def deepest(name):
    if name not in deepest_of:
        below = max((deepest(callee) for callee in set(callees(name))), default=(0, ""))
        own = stack_of(functions[name])
        deepest_of[name] = (own + below[0], f"{name} {own}" + (", " + below[1] if below[1] else ""))
    return deepest_of[name]


for name, code in functions.items():
    if fault := falls_back(code):
        print(f"WRONG {name}: '{fault.text}' at {fault.at} falls into a loop that it belongs to")
        faults += 1
for name in functions:
    if sections[name] != ".text":
        stack, chain = deepest(name)
        is_wrong = stack > MOST_STACK
        faults += is_wrong
        print(f"{'WRONG ' if is_wrong else ''}{name}: {stack} bytes of stack: {chain}")
sys.exit(1 if faults else 0)
