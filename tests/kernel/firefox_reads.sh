#!/bin/bash
# Firefox Profiler's own loader (the npm package) reads what a run and a recording write for it.
source "$(dirname "$0")/sampling.bash"
source "$SOURCE_DIR/tests/browser/browser.bash"

profile -q -F 499 -o "$tmp/cpu.firefox.json.gz" -- "$WORKLOADS/leaves" 0.5cpu
expect_status 0
browse firefox "$tmp/cpu.firefox.json.gz" leaves heavy
"$PROFILE" record -q -F 499 -o "$tmp/run.db" -- "$WORKLOADS/leaves" 0.5cpu || fail "record"
profile report -q --from 0.1 -o "$tmp/part.firefox.json" "$tmp/run.db"
expect_status 0
browse firefox "$tmp/part.firefox.json" leaves heavy
if has_event syscalls; then
  "$PROFILE" record -q -F 499 -e cpu-clock -e syscalls --latency -o "$tmp/run.db" -- "$WORKLOADS/leaves" 0.5cpu || fail "record of two events"
  profile report -q -o "$tmp/both.firefox.json" "$tmp/run.db"
  expect_status 0
  browse firefox "$tmp/both.firefox.json" leaves heavy mmap
fi
need_event off-cpu
profile -q -e off-cpu -o "$tmp/waits.firefox.json.gz" -- bash -c 'for i in 1 2 3; do sleep 0.05; done'
expect_status 0
browse firefox "$tmp/waits.firefox.json.gz" sleep nanosleep off-cpu
