#!/bin/bash
# What perf-script and speedscope write is opened by speedscope itself, the page of npm's package, in a browser.
source "$(dirname "$0")/../lib.sh"
source "$SOURCE_DIR/tests/browser/browser.bash"

printf 'app;main;outer;heavy 70\napp;main;(anonymous namespace)::light 30\n' >"$tmp/a.folded"
for ending in perf speedscope.json; do
  profile report -q -o "$tmp/a.$ending" "$tmp/a.folded"
  expect_status 0
  browse speedscope "$tmp/a.$ending" heavy app
done
browse speedscope "$tmp/a.perf" light app

need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { grep -q heavy "$tmp/s.perf"; }
profile_until has_heavy -q --stream=perf-script -F 999 -p "$started" -o "$tmp/s.perf"
browse speedscope "$tmp/s.perf" heavy "tid: $started"
