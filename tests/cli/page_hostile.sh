#!/bin/bash
# Names that are out to break a page are text in it, whether the data is made for the test or written by the profiler.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse hostile
run node "$SOURCE_DIR/tests/browser/hostile.js" --folded
expect_status 0
cp "$tmp/out" "$tmp/names.folded"
profile report -o "$tmp/names.html" "$tmp/names.folded"
expect_status 0
browse hostile "$tmp/names.html"
