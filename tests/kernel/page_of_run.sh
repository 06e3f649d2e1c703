#!/bin/bash
# A run writes a page and folded lines. The browser shows the same total and the same share of the hot function.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"
need_kernel

start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/run.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o "$tmp/run.html" -o "$tmp/run.folded"
browse run "$tmp/run.html" "$(folded_total . "$tmp/run.folded")" "$(share_of ';heavy' "$tmp/run.folded")"
