#!/bin/bash
# Names that try to break a page are text in it, with data made for the test and with a page that the profiler wrote.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse hostile
run node "$SOURCE_DIR/tests/browser/hostile.js" --folded
expect_status 0
cp "$tmp/out" "$tmp/names.folded"
profile report -o "$tmp/names.html" "$tmp/names.folded"
expect_status 0
browse hostile "$tmp/names.html"
