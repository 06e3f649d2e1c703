#!/bin/bash
# The live page in a real browser follows a server that sends known events.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

browse live
