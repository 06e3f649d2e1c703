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

# Ctrl-G writes down the line; a list appears at the first Tab, and nothing asks whether to show it.
SETUP = {
    "bash": """bind 'set show-all-if-ambiguous on' 'set completion-query-items 0' 'set page-completions off' \\
  'set enable-bracketed-paste off' 2>/dev/null
bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
bind -x '"\\C-g": printf "%s\\n" "$READLINE_LINE" >>"$LINES_SEEN"'
PS1='% '
source "$COMPLETION"
""",
    "zsh": """fpath=($COMPLETION $fpath)
autoload -U compinit && compinit -u -D
LISTMAX=0 PS1='% ' PS2= RPS1=
unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste
note() { print -r -- "$BUFFER" >>$LINES_SEEN }
zle -N note
bindkey '^G' note
""",
}
COMMAND = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Shell:
    def __init__(self, name, completion, folder):
        self.seen = os.path.join(folder, "lines")
        setup = os.path.join(folder, "setup")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(SETUP[name])
        open(self.seen, "w", encoding="utf-8").close()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update(TERM="vt100", LINES_SEEN=self.seen, COMPLETION=completion, HISTFILE="/dev/null")
            os.execvp(COMMAND[name][0], COMMAND[name])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 400, 0, 0))
        # Ctrl-G is a key only once the set-up has been read.
        self.type(f" source {setup}\n")
        self.lines_after("\x07")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def lines_after(self, keys):
        """Presses `keys`, the last of which is Ctrl-G, and returns what is shown until the line is written down."""
        before = os.path.getsize(self.seen)
        self.type(keys)
        shown = b""
        end = time.monotonic() + 30
        again = time.monotonic() + 3
        while os.path.getsize(self.seen) == before:
            if time.monotonic() > end:
                sys.exit(f"press_tab.py: the shell does not answer: {shown!r}")
            # While the set-up was being read it may have been thrown away.
            if keys == "\x07" and time.monotonic() > again:
                self.type(keys)
                again += 3
            shown += self.read(0.05)
        return (shown + self.read(0.02)).decode(errors="replace")

    def read(self, patience):
        data = b""
        while select.select([self.terminal], [], [], patience)[0]:
            try:
                chunk = os.read(self.terminal, 65536)
            except OSError:
                break
            if not chunk:
                break
            data += chunk
        return data

    def press_tab(self, line):
        shown = self.lines_after("\x15" + line + "\t\x07")
        with open(self.seen, encoding="utf-8") as file:
            result = file.read().split("\n")[-2]
        # The list stands below the line that was typed.
        _, _, listed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][B0]?|[\x07\x08]", "", shown).partition("\n")
        return result, listed.split()

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
