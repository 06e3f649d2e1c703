#!/usr/bin/env python3
"""Runs a command on a terminal of its own, with somebody in front of it who looks and presses keys.

top_terminal.py STEP... -- COMMAND...: does the steps in turn, waits for the command's end, prints what is on the screen
then, and exits with the command's status. Steps:
  see:REGEX    waits until the screen has it (its lines are joined by newlines)
  gone:REGEX   waits until the screen does not have it any more
  press:KEYS   \\e, \\r and \\xNN as usual
  size:COLUMNSxLINES
  kill:NAME    a signal for the command
  keep:FILE    writes the screen to a file
  wait:SECONDS
  written:FILE waits until there is something in it, without a look at the terminal
  stall:GLOB   fills the terminal up to a little room, and takes nothing from it, while all of it is to be drawn, until three
               more files have such names
A step that takes more than 60 seconds fails (status 99), with the screen as it is. So does a command that leaves the
terminal in another mode than it found it in. Knows what TERM=vt100 and TERM=xterm may send, and no more: anything else
fails as well, so no name can have driven the terminal.
"""

import fcntl
import glob
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unicodedata

PATIENCE = 60.0
# The last letters of control sequences that have no effect on the text that is seen.
WITHOUT_EFFECT = "mhlt"
TOKEN = re.compile(r"\x1b\[([?>]?)([0-9;]*)([A-Za-z@`])|\x1b[()][AB0-2]|\x1b[=>78M]|\x1b(?=\Z|.)|.", re.DOTALL)


class Screen:
    def __init__(self, columns, lines):
        self.resize(columns, lines)
        self.unknown = []
        self.last = " "
        self.rest = ""

    def resize(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.top, self.bottom = 0, lines  # what is scrolled, the end not included

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        # A sequence that was torn apart waits for its other half.
        torn = re.search(r"\x1b(\[[?>]?[0-9;]*|[()])?\Z", text)
        if torn:
            self.rest = text[torn.start() :]
            text = text[: torn.start()]
        for token in TOKEN.finditer(text):
            if token.group(3):
                self.control(token.group(1), token.group(2), token.group(3))
            elif token.group()[0] == "\x1b":
                if token.group() == "\x1bM":
                    self.up()
                elif len(token.group()) == 1:
                    self.unknown.append(text[token.start() : token.start() + 8])
            else:
                self.character(token.group())

    def control(self, private, parameters, letter):
        numbers = [int(n) for n in parameters.split(";") if n]
        first = numbers[0] if numbers else 0
        count = max(first, 1)
        if letter in WITHOUT_EFFECT:
            return
        if private:
            self.unknown.append(private + parameters + letter)
        elif letter == "H":
            self.row = min(count, self.lines) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif letter == "r":
            self.top = count - 1
            self.bottom = numbers[1] if len(numbers) > 1 else self.lines
            self.row = self.column = 0
        elif letter == "A":
            self.row = max(self.row - count, 0)
        elif letter == "B":
            self.row = min(self.row + count, self.lines - 1)
        elif letter == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif letter == "D":
            self.column = max(self.column - count, 0)
        elif letter == "d":
            self.row = min(count, self.lines) - 1
        elif letter == "G":
            self.column = min(count, self.columns) - 1
        elif letter == "J" and first in (0, 2):
            if first == 0:
                self.erase(self.row, self.column, self.columns)
            for row in range(0 if first == 2 else self.row + 1, self.lines):
                self.erase(row, 0, self.columns)
        elif letter == "K" and first == 0:
            self.erase(self.row, self.column, self.columns)
        elif letter == "K" and first == 1:
            self.erase(self.row, 0, self.column + 1)
        elif letter == "X":
            self.erase(self.row, self.column, min(self.column + count, self.columns))
        elif letter == "P":
            line = self.cells[self.row]
            self.cells[self.row] = line[: self.column] + line[self.column + count :] + [" "] * count
        elif letter == "@":
            line = self.cells[self.row]
            self.cells[self.row] = (line[: self.column] + [" "] * count + line[self.column :])[: self.columns]
        elif letter == "b":
            for _ in range(count):
                self.put(self.last)
        else:
            self.unknown.append(parameters + letter)

    def erase(self, row, begin, end):
        self.cells[row][begin:end] = [" "] * (end - begin)

    def character(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.down()
        elif c == "\b":
            self.column = max(self.column - 1, 0)
        elif c == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif c in "\x00\x0e\x0f":
            pass
        elif c < " " or "\x7f" <= c < "\xa0":
            self.unknown.append(c)
        else:
            self.put(c)

    def down(self):
        if self.row + 1 == self.bottom:
            self.cells[self.top : self.bottom] = self.cells[self.top + 1 : self.bottom] + [[" "] * self.columns]
        else:
            self.row = min(self.row + 1, self.lines - 1)

    def up(self):
        if self.row == self.top:
            self.cells[self.top : self.bottom] = [[" "] * self.columns] + self.cells[self.top : self.bottom - 1]
        else:
            self.row = max(self.row - 1, 0)

    def put(self, c):
        if unicodedata.combining(c):
            return
        width = 2 if unicodedata.east_asian_width(c) in "WF" else 1
        if self.column + width > self.columns:
            self.column = 0
            self.down()
        self.last = c
        self.cells[self.row][self.column : self.column + width] = [c] + [""] * (width - 1)
        self.column += width

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells)


class Terminal:
    def __init__(self, command):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(80, 24)
        self.set_size(80, 24)
        self.mode = termios.tcgetattr(self.slave)
        self.decoder = __import__("codecs").getincrementaldecoder("utf-8")("replace")
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, preexec_fn=self.take_over
        )

    def take_over(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        # A test may run with these ignored; a person's shell does not.
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    def set_size(self, columns, lines):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(columns, lines)

    def look(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.screen.feed(self.decoder.decode(os.read(self.master, 65536)))
        return True

    def fail(self, text):
        print(f"{text}; the screen:\n{self.screen.text()}")
        self.process.kill()
        sys.exit(99)

    def until(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if self.process.poll() is not None and what != "its end" and not self.look(0.2):
                self.fail(f"ended before {what}")
            self.look(0.05)
            if time.monotonic() > end:
                self.fail(f"not within {PATIENCE} s: {what}")

    def step(self, step):
        kind, _, value = step.partition(":")
        if kind == "see":
            self.until(step, lambda: re.search(value, self.screen.text(), re.MULTILINE))
        elif kind == "gone":
            self.until(step, lambda: not re.search(value, self.screen.text(), re.MULTILINE))
        elif kind == "press":
            keys = value.replace("\\e", "\x1b").encode().decode("unicode_escape").encode("latin-1")
            os.write(self.master, keys)
        elif kind == "size":
            columns, lines = value.split("x")
            self.set_size(int(columns), int(lines))
        elif kind == "kill":
            self.process.send_signal(getattr(signal, "SIG" + value))
        elif kind == "keep":
            with open(value, "w", encoding="utf-8") as file:
                file.write(self.screen.text() + "\n")
        elif kind == "stall":
            self.stall(value)
        elif kind == "written":
            end = time.monotonic() + PATIENCE
            while not (os.path.exists(value) and os.path.getsize(value)):
                if time.monotonic() > end:
                    self.fail(f"not within {PATIENCE} s: {step}")
                time.sleep(0.05)
        elif kind == "wait":
            end = time.monotonic() + float(value)
            while time.monotonic() < end:
                self.look(0.05)
        else:
            self.fail(f"no such step: {step}")

    # What is left of the filling is no text that is looked for.
    def stall(self, names):
        own = os.open(f"/proc/self/fd/{self.slave}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            while True:
                os.write(own, b"~" * 100)
        except BlockingIOError:
            pass
        finally:
            os.close(own)
        taken = 0
        while not select.select([], [self.slave], [], 0)[1]:
            taken += len(os.read(self.master, 100))
        end = time.monotonic() + PATIENCE
        enough = len(glob.glob(names)) + 3
        while len(glob.glob(names)) < enough:
            if time.monotonic() > end:
                self.fail(f"not within {PATIENCE} s: three more of {names}")
            os.write(self.master, b"\x0c")  # all is to be drawn anew
            time.sleep(0.2)

    def finish(self):
        self.until("its end", lambda: self.process.poll() is not None)
        self.look(0.2)
        if self.screen.unknown:
            self.fail(f"sequences that nobody knows: {self.screen.unknown[:5]}")
        if termios.tcgetattr(self.slave) != self.mode:
            self.fail("the terminal's mode is not what it was")
        print(re.sub(r"\n+\Z", "", self.screen.text()))
        status = self.process.returncode
        sys.exit(status if status >= 0 else 128 - status)


def main():
    words = sys.argv[1:]
    dashes = words.index("--")
    terminal = Terminal(words[dashes + 1 :])
    for step in words[:dashes]:
        terminal.step(step)
    terminal.finish()


main()
