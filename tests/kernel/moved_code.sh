#!/bin/bash
# Code that a process has moved with mremap(2), which no record reports: it keeps its names and its callers, although it
# ran in its old place, too, and the process is gone when names are looked for.
source "$(dirname "$0")/sampling.bash"
stack=';main;moved_work;moved_inner '

sample -F 499 -U -o "$tmp/run.folded" -- "$WORKLOADS/moved" 1
mv "$tmp/run.folded" "$tmp/out"
expect_share "^moved;.*$stack" 80 100

# Without the kernel's walk by tables, it is looked for when names are: the process must be there still.
# Only its processes: for how many it looks again in a second is limited, and other tests start hundreds.
begin -F 499 -U --comm moved --unwind fp -o - -o "$tmp/run.folded" 1.5
wait_until has_begun
burn moved 600
finish
expect_status 0
grep '^moved;' "$tmp/run.folded" >"$tmp/out"
expect_share "$stack" 80 100
