#!/bin/bash
# A page of 100,000 distinct stacks in a real browser: painted, zoomed and inverted.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse large
