#!/usr/bin/env python3
"""Checks a flame graph that was drawn. As .svg: that it is well-formed XML, all of it text and boxes, nothing that is
fetched and no script but ours, each box within the picture and none over another; prints the total. As .png: that it is
one, whole and with even sides; prints "WIDTH HEIGHT"."""
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
ATTRIBUTES = {
    "svg": {"width", "height", "viewBox", "font-family", "{http://www.w3.org/XML/1998/namespace}space"},
    "g": {"font-size", "fill"},
    "title": set(),
    "rect": {"x", "y", "width", "height", "fill", "data-start", "data-total"},
    "text": {"x", "y", "font-size", "fill"},
    "script": set(),
}
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "src/output/flame/svg_script.h"


def check_elements(root):
    if root.tag != SVG + "svg":
        sys.exit(f"the root element is {root.tag}")
    for element in root.iter():
        allowed = ATTRIBUTES.get(element.tag.removeprefix(SVG))
        if allowed is None:
            sys.exit(f"there is a {element.tag}")
        for name in element.attrib:
            if name not in allowed:
                sys.exit(f"{element.tag} has {name}")


def check_script(root):
    scripts = list(root.iter(SVG + "script"))
    if not scripts:
        return
    ours = re.search(r'R"js\((.*)\)js"', SCRIPT.read_text(encoding="utf-8"), re.DOTALL)[1]
    if len(scripts) != 1 or root[-1] is not scripts[0] or scripts[0].text != ours:
        sys.exit("a script that is not ours")


def check_boxes(root):
    size = [float(root.get(side)) for side in ("width", "height")]
    rows = {}
    for group in root.iter(SVG + "g"):
        box = group.find(SVG + "rect")
        if group.find(SVG + "title") is None or box is None:
            continue
        x, y, width, height = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        if x < 0 or y < 0 or width < 0 or height <= 0 or x + width > size[0] or y + height > size[1]:
            sys.exit(f"outside of the picture: {box.attrib}")
        rows.setdefault(y, []).append((x, width))
    for boxes in rows.values():
        boxes.sort()
        for (left, width), (right, _) in zip(boxes, boxes[1:]):
            if left + width > right + 0.02:  # they are rounded
                sys.exit(f"{left}+{width} is over {right}")


def total_of(root):
    for title in root.iter(SVG + "title"):
        found = re.match(r"all\n([\d,]+) of ([\d,]+) ", title.text)
        if found and found[1] == found[2]:
            return found[1].replace(",", "")
    if "Nothing was recorded." in (text.text for text in root.iter(SVG + "text")):
        return "0"
    sys.exit("there is no box for all")


def check_png(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("no PNG")
    at, pixels, sides, kinds = 8, b"", (0, 0), []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if struct.pack(">I", zlib.crc32(kind + body)) != data[at + 8 + size : at + 12 + size]:
            sys.exit(f"the checksum of {kind} is wrong")
        kinds.append(kind)
        if kind == b"IHDR":
            sides = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + size
    if not kinds or kinds[-1] != b"IEND" or len(zlib.decompress(pixels)) < sides[0] * sides[1] * 3:
        sys.exit("the picture is cut off")
    if sides[0] % 2 or sides[1] % 2:
        sys.exit(f"sides {sides}")
    return "%d %d" % sides


path = sys.argv[1]
if path.endswith(".png"):
    with open(path, "rb") as file:
        print(check_png(file.read()))
else:
    try:
        tree = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        sys.exit(f"not well-formed: {error}")
    check_elements(tree)
    check_script(tree)
    check_boxes(tree)
    print(total_of(tree))
