#!/usr/bin/env python3
"""Checks that a file is what speedscope's file-format-schema.json describes, as far as we use it, and what its reader
takes for granted besides. Prints the total of the last profile, which has everything."""
import json
import sys

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}
FRAME = {"name": str, "file": str, "line": int}
PROFILE = {"type": str, "name": str, "unit": str, "startValue": int, "endValue": int, "samples": list, "weights": list}
FILE = {"$schema": str, "shared": dict, "profiles": list, "name": str, "exporter": str, "activeProfileIndex": int}


def members(thing, where, allowed, needed):
    for name, value in thing.items():
        if name not in allowed:
            sys.exit(f"{where}: no such member: {name}")
        if type(value) is not allowed[name]:
            sys.exit(f"{where}.{name}: is no {allowed[name].__name__}")
    for name in needed:
        if name not in thing:
            sys.exit(f"{where}: there is no {name}")


def check_profile(profile, where, frames):
    members(profile, where, PROFILE, PROFILE)
    if profile["type"] != "sampled" or profile["unit"] not in UNITS:
        sys.exit(f"{where}: type {profile['type']}, unit {profile['unit']}")
    if len(profile["samples"]) != len(profile["weights"]):
        sys.exit(f"{where}: {len(profile['samples'])} samples, {len(profile['weights'])} weights")
    for stack in profile["samples"]:
        for frame in stack:
            if type(frame) is not int or not 0 <= frame < frames:
                sys.exit(f"{where}: there is no frame {frame}")
    if profile["endValue"] - profile["startValue"] != sum(profile["weights"]):
        sys.exit(f"{where}: endValue is not the sum of the weights")


with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
members(document, "$", FILE, ["$schema", "shared", "profiles"])
if document["$schema"] != "https://www.speedscope.app/file-format-schema.json":
    sys.exit(f"$schema: {document['$schema']}")
members(document["shared"], "shared", {"frames": list}, ["frames"])
for index, frame in enumerate(document["shared"]["frames"]):
    members(frame, f"frames[{index}]", FRAME, ["name"])
for index, profile in enumerate(document["profiles"]):
    check_profile(profile, f"profiles[{index}]", len(document["shared"]["frames"]))
print(sum(document["profiles"][-1]["weights"]))
