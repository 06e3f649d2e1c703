#!/bin/bash
# The page in a real browser: the table of functions with callers and callees, the source of a function, focus, hide and
# collapse, links to views, and saving.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse functions
browse source
browse edits
browse link
browse save
