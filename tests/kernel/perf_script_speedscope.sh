#!/bin/bash
# speedscope itself (the page of the npm package) opens the perf-script and speedscope files in a browser.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

printf 'app;main;outer;heavy 70\napp;main;(anonymous namespace)::light 30\n' >"$tmp/a.folded"
profile report -q -o "$tmp/a.perf" -o "$tmp/a.speedscope.json" "$tmp/a.folded"
expect_status 0
# In a speedscope file the title is the name of the source file.
browse speedscope "$tmp/a.speedscope.json" heavy a.folded
browse speedscope "$tmp/a.perf" heavy app
browse speedscope "$tmp/a.perf" light app

need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { grep -q heavy "$tmp/s.perf"; }
profile_until has_heavy -q --stream=perf-script -F 999 -p "$started" -o "$tmp/s.perf"
browse speedscope "$tmp/s.perf" heavy "tid: $started"
