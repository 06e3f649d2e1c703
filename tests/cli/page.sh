#!/bin/bash
# The page of a file in a real browser: clicks, keys, search, and a page that compares two profiles.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse graph
browse compare
