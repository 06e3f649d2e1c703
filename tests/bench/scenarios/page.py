"""The page of -o out.html with 100,000 distinct stacks: how long until a browser has painted it, and how long a zoom takes, in
headless Chromium by the clock. The page is written by `profile report` from folded lines, as a person would."""

import json
import os
import random
import shutil
import subprocess

from figures import Metric
from harness import Failure, in_turn
from tools import ours

STACKS = 100_000
PLACE = 12
TITLE = f"page of {STACKS:,} distinct stacks in headless Chromium"
METRICS = {
    "write": Metric("written from folded lines, s", 2),
    "first": Metric("first paint, ms", 0),
    "zoom": Metric("a zoom, ms", 0),
    "first_cpu": Metric("of the first paint, the page's own CPU time, ms", 0),
}
EXTRA = {}
BROWSER = os.path.join(os.path.dirname(__file__), "..", "..", "browser")


def folded_lines(path):
    """Stacks that share their way up to some depth and part there, 15 to 60 deep, of 20 processes and 8,000 functions."""
    numbers = random.Random(1)
    stack = []
    with open(path, "w", encoding="ascii") as file:
        for i in range(STACKS):
            shared = max(3, len(stack) - 1 - numbers.randrange(12))
            del stack[shared:]
            depth = max(shared + 1, 15 + numbers.randrange(45))
            while len(stack) < depth - 1:
                function = numbers.randrange(6 if len(stack) < 6 else 8000)
                stack.append(f"namespace_{function % 97}::function_{function}(int, char const*)")
            stack.append(f"leaf_{i}")  # none is like another
            file.write(f"process-{i * 20 // STACKS};{';'.join(stack)} {1 + numbers.randrange(50)}\n")


def install_modules(folder):
    """The remote control of the browser tests; kept in the scratch of the benchmark."""
    os.makedirs(folder, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(BROWSER, name), folder)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0:
        raise Failure("npm ci failed: the page is not measured")
    return os.path.join(folder, "node_modules")


def measure_page(bench):
    if not shutil.which("node") or not shutil.which("chromium"):
        raise Failure("node or chromium is missing: the page is not measured")
    folded = os.path.join(bench.scratch, "many.folded")
    page = os.path.join(bench.scratch, "many.html")
    results = os.path.join(bench.scratch, "page.json")
    folded_lines(folded)
    written = bench.timed([ours(), "report", "-q", "--format", "html", folded])
    shutil.copy(written["output"], page)
    environment = dict(os.environ, PAGE=page, FIGURES=results, NODE_PATH=install_modules(os.path.join(bench.scratch, "browser")))
    ran = subprocess.run(["node", os.path.join(BROWSER, "large.js")], env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Failure(f"the page was not measured: {ran.stderr[-500:]}")
    with open(results, encoding="utf-8") as file:
        figures = json.load(file)
    return {"write": written["cpu_s"], "first": figures["first_ms"], "zoom": figures["zoom_ms"],
            "first_cpu": figures["first_computed_ms"]}


def measure(bench, tools):
    return in_turn([tool for tool in tools if tool.key == "profile"], lambda _: measure_page(bench))
