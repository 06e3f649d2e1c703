#!/usr/bin/env python3
"""Prints what a Perfetto trace has, by the numbers of its published message definitions: pftrace.py FILE

    sample NS PID TID EVENT FRAME;...         root first
    slice BEGIN END PID TID EVENT NAME FRAME;...
    count NS PID EVENT VALUE

EVENT is the timebase of the sequence of packets.
"""
import sys


def fields(data):
    """Yields (number, value) for each field; texts and messages are bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 2:
            size = varint()
            if at + size > len(data):
                sys.exit("a field is longer than its message")
            yield key >> 3, data[at : at + size]
            at += size
        else:
            sys.exit(f"a field of kind {kind}")


def main():
    sequences = {}
    tracks, open_slices, lines = {}, {}, []
    with open(sys.argv[1], "rb") as file:
        trace = file.read()
    for number, packet in fields(trace):
        if number != 1:
            sys.exit(f"field {number} in a trace")
        of = {}
        for key, value in fields(packet):
            of[key] = value
        if of.get(13, 0) & 1:
            timebase = dict(fields(dict(fields(dict(fields(of[59]))[12]))[1]))
            sequences[of[10]] = {}, {}, {}, timebase[10].decode()
        names, frames, stacks, event_name = sequences[of[10]]
        for key, value in fields(of.get(12, b"")):
            inner = list(fields(value))
            one = dict(inner)
            if key == 5:
                names[one[1]] = one[2].decode()
            elif key == 6:
                frames[one[1]] = names[one[2]]
            elif key == 7:
                stacks[one[1]] = ";".join(frames[frame] for name, frame in inner if name == 2)
        time = of.get(8)
        if 60 in of:
            track = dict(fields(of[60]))
            if 4 in track:
                thread = dict(fields(track[4]))
                tracks[track[1]] = (thread[1], thread[2])
            elif 3 in track:
                tracks[track[1]] = (dict(fields(track[3]))[1], 0)
            else:
                tracks[track[1]] = tracks[track[5]]
        if 66 in of:
            sample = dict(fields(of[66]))
            lines.append(f"sample {time} {sample[2]} {sample[3]} {event_name} {stacks.get(sample.get(4), '')}")
        if 11 in of:
            event = dict(fields(of[11]))
            lane = event.get(11)
            if event[9] == 1:
                if lane in open_slices:
                    sys.exit("two slices at one time on one track")
                open_slices[lane] = (time, event[23].decode(), stacks.get(event.get(56), ""))
            elif event[9] == 2:
                begin, name, stack = open_slices.pop(lane)
                pid, tid = tracks[lane]
                lines.append(f"slice {begin} {time} {pid} {tid} {event_name} {name} {stack}")
            elif event[9] == 4:
                lines.append(f"count {time} {tracks[lane][0]} {event_name} {event[30]}")
    print("\n".join(lines))


main()
