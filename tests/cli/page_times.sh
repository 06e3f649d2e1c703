#!/bin/bash
# The strip of time on the page of a recording, in a real browser: parts, comparisons, lanes, keys, fingers, names.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse times
browse times_large
