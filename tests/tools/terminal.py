#!/usr/bin/env python3
"""Runs a command on a terminal of its own, as a person would see it.

terminal.py [--press-after FILE] [--raw FILE] COMMAND...: prints what is left on the screen at the end, and exits with
the command's status. --press-after: presses Ctrl-C once, half a second after FILE is there and not empty. --raw: every
byte that was sent to the terminal. Gives up after 30 seconds.
"""

import argparse
import os
import pty
import select
import signal
import sys
import time


def screen_of(data):
    """The lines a terminal shows after `data`, which moves the cursor by carriage return, erases and line feeds only."""
    lines, column = [""], 0
    text = data.decode(errors="replace")
    at = 0
    while at < len(text):
        if text.startswith("\x1b[K", at):
            lines[-1] = lines[-1][:column]
            at += 3
            continue
        character = text[at]
        at += 1
        if character == "\r":
            column = 0
        elif character == "\n":
            lines.append("")
            column = 0
        else:
            line = lines[-1].ljust(column)
            lines[-1] = line[:column] + character + line[column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


def has_content(path):
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--press-after")
    parser.add_argument("--raw")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()

    child, terminal = pty.fork()
    if child == 0:
        # A test runs without a terminal and may ignore SIGINT; a person's shell does not.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(arguments.command[0], arguments.command)

    data = b""
    end = time.monotonic() + 30
    press_at = None
    pressed = arguments.press_after is None
    while True:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            sys.exit("terminal.py: the command has not ended")
        if not pressed and press_at is None and has_content(arguments.press_after):
            press_at = time.monotonic() + 0.5
        if not pressed and press_at is not None and time.monotonic() >= press_at:
            os.write(terminal, b"\x03")
            pressed = True
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        data += chunk
    _, status = os.waitpid(child, 0)
    if arguments.raw:
        with open(arguments.raw, "wb") as file:
            file.write(data)
    print("\n".join(screen_of(data)).rstrip("\n"))
    sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


main()
