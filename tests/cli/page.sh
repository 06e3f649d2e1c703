#!/bin/bash
# The page of a file in a real browser: what a click, a key and a search do, and what two profiles in one page look like.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse graph
browse compare
