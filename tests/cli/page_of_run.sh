#!/bin/bash
# A run writes a page beside its folded lines, and what the browser shows of it is the same: the total, and the share of
# the program's hot function.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"
need_kernel

start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/run.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o "$tmp/run.html" -o "$tmp/run.folded"
browse run "$tmp/run.html" "$(folded_total . "$tmp/run.folded")" "$(share_of ';heavy' "$tmp/run.folded")"
