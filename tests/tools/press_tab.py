#!/usr/bin/env python3
"""Types lines into an interactive shell, presses Tab behind each, and tells what came of it.

press_tab.py bash|zsh SCRIPT LINE...: SCRIPT is sourced first (of zsh, it is a directory with the function _profile). For
each LINE one block: "= " and the line as it stands after Tab, then the words of the list that the shell showed below it,
each on a line. The shells are asked for no start-up files, and are given a terminal so large that they ask nothing.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

# Ctrl-G writes the line to the terminal, between two characters that stand nowhere else: all that the shell had to show for
# the keys before stands before it. A list appears at the first Tab, and nothing asks whether to show it.
SETUP = {
    "bash": """bind 'set show-all-if-ambiguous on' 'set completion-query-items 0' 'set page-completions off' \\
  'set enable-bracketed-paste off' 2>/dev/null
bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
bind -x '"\\C-g": printf "\\001%s\\002" "$READLINE_LINE"'
PS1='% '
source "$COMPLETION"
""",
    "zsh": """fpath=($COMPLETION $fpath)
autoload -U compinit && compinit -u -D
LISTMAX=0 PS1='% ' PS2= RPS1=
unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste
note() { printf "\\001%s\\002" "$BUFFER" }
zle -N note
bindkey '^G' note
""",
}
# Only a shell that hangs takes so long for one line.
HANG_S = 60
COMMAND = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Shell:
    def __init__(self, name, completion, folder):
        setup = os.path.join(folder, "setup")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(SETUP[name])
        self.give_up = time.monotonic() + HANG_S
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update(TERM="vt100", COMPLETION=completion, HISTFILE="/dev/null")
            os.execvp(COMMAND[name][0], COMMAND[name])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 400, 0, 0))
        self.type(f" source {setup}\n")
        # Ctrl-G is a key only once the set-up has been read, and may be thrown away before.
        while not self.shown_until(r"\x01\x02", "\x07", 3):
            pass

    def type(self, text):
        os.write(self.terminal, text.encode())

    def shown_until(self, mark, keys, patience):
        """Presses `keys`, and returns what is shown up to the `mark`, and the match; None after so many seconds."""
        self.type(keys)
        shown = ""
        end = time.monotonic() + patience
        while time.monotonic() < end and time.monotonic() < self.give_up:
            if select.select([self.terminal], [], [], 0.05)[0]:
                shown += os.read(self.terminal, 65536).decode(errors="replace")
            if match := re.search(mark, shown):
                return shown[: match.start()], match
        if time.monotonic() >= self.give_up:
            sys.exit(f"press_tab.py: the shell does not answer: {shown!r}")
        return None

    def press_tab(self, line):
        self.give_up = time.monotonic() + HANG_S
        # A Ctrl-G that was still on its way found no line.
        shown, match = self.shown_until(r"\x01([^\x02]+)\x02", "\x15" + line + "\t\x07", HANG_S)
        # The list stands below the line that was typed.
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][B0]?|\x01\x02|[\x07\x08]", "", shown)
        return match.group(1), shown.partition("\n")[2].split()

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


def main():
    name, completion, *lines = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(name, completion, folder)
        for line in lines:
            result, listed = shell.press_tab(line)
            print("= " + result)
            for word in listed:
                print(word)
        shell.end()


main()
