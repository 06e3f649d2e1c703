#!/usr/bin/env python3
"""Whether a page is what a browser will run, and what is in it, without a browser.

validate_page.py [--before] [--script FILE] PAGE: prints the stacks of the page's data (with --before those it is compared
with) as folded lines. Fails when the markup is not the page's own alone, when the policy does not name its style and its
script by their hashes and forbid everything else, or when the data is no tree. --script keeps the script in a file.
"""

import argparse
import base64
import collections
import gzip
import hashlib
import html.parser
import json
import sys

KERNEL = 1
ROOT = -1


def refuse(why):
    sys.exit(f"validate_page.py: {why}")


class Page(html.parser.HTMLParser):
    """The texts of its scripts and styles, its policy, and whatever would load something or run by itself."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.policy = []
        self.texts = {"style": [], "data": [], "script": []}
        self.inside = None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        for name in given:
            if name.startswith("on") or name in ("src", "href", "style", "action"):
                refuse(f"<{tag}> has {name}")
        if tag in ("img", "iframe", "object", "embed", "link", "a", "base", "form"):
            refuse(f"there is <{tag}>")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy.append(given["content"])
        if tag in ("script", "style"):
            self.inside = "data" if given.get("id") == "data" else tag
            self.texts[self.inside].append("")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside][-1] += data


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_policy(page):
    for what, texts in page.texts.items():
        if len(texts) != 1:
            refuse(f"{len(texts)} of {what}")
    if len(page.policy) != 1:
        refuse(f"{len(page.policy)} policies")
    rules = dict(rule.strip().split(" ", 1) for rule in page.policy[0].split(";"))
    nothing = dict.fromkeys(("default-src", "base-uri", "form-action", "connect-src"), "'none'")
    wanted = {f"{what}-src": hash_of(page.texts[what][0]) for what in ("style", "script")} | nothing
    wanted["worker-src"] = "blob:"  # a worker is made of a part of the script
    if rules != wanted:
        refuse(f"the policy is {rules}, not {wanted}")


def stacks_of(data, cells):
    """A counter by process and stack."""
    strings, frames, parents = data["strings"], data["frames"], data["nodes"]["parent"]
    stack_of = {ROOT: ()}
    for node, (parent, frame) in enumerate(zip(parents, data["nodes"]["frame"])):
        if parent >= node:
            refuse(f"node {node} stands on {parent}")
        name = strings[frames["name"][frame]] + ("_[k]" if frames["kind"][frame] == KERNEL else "")
        stack_of[node] = (*stack_of[parent], name)
    found = collections.Counter()
    for owner, node, value in zip(cells["owner"], cells["node"], cells["value"], strict=True):
        found[(strings[data["owners"]["process"][owner]], *stack_of[node])] += value
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--script")
    parser.add_argument("page")
    asked = parser.parse_args()
    page = Page()
    with open(asked.page, encoding="utf-8", newline="") as file:
        page.feed(file.read())
    page.close()
    check_policy(page)
    data = json.loads(page.texts["data"][0])
    if isinstance(data, list):
        data = json.loads(gzip.decompress(base64.b64decode(data[1], validate=True)))
    if asked.script:
        with open(asked.script, "w", encoding="utf-8") as file:
            file.write(page.texts["script"][0])
    cells = data["before"]["cells"] if asked.before else data["cells"]
    for stack, value in sorted(stacks_of(data, cells).items()):
        if value:
            print(";".join(stack), value)


main()
