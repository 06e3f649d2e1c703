#!/bin/bash
# Processes that compute for 20 ms and have ended before their frames get names: every frame must still get its name.
# Promise 4: a process that has exited still has names, and its stacks are whole.
source "$(dirname "$0")/sampling.bash"
need_timeliness
need_command seq xargs python3
# No other process has this name.
name=brief$$
brief=$tmp/$name
cp "$WORKLOADS/leaves" "$brief"

# expect_named FILE : everything that `brief` does in its user stacks below main has a name. Its loading and its end run
# foreign code.
expect_named() {
  expect_present "^$name;.*;main;outer;middle;heavy " "$1"
  expect_present "^$name;.*;main;outer;middle;light " "$1"
  # Except the linker's common stub, which belongs to no function and lies before .text, at 0x10a0 here.
  expect_absent "^$name;.*\[$name\+0x1(0[a-f]|[12])" "$1"
}
# expect_seen FILE : no frame of `brief` lacks its name because the lookup came too late. Other programs of the machine
# may come and go, and replace their files.
expect_seen() {
  python3 - "$1" "$name" <<'PYTHON' || fail "names came too late"
import json, sys
stacks = json.load(open(sys.argv[1]))["ebpf"]["profile"]
ours = {i for i, process in enumerate(stacks["processes"]) if process["name"] == sys.argv[2]}
late = [f for f in stacks["frames"] if f.get("process") in ours and f.get("unnamed") in ("file_gone", "file_changed", "process_gone")]
sys.exit(f"{len(late)} frames, the first: {late[0]}" if late else 0)
PYTHON
}
# Prints the percentage of the samples of `brief` that are in its leaves.
share_in_leaves() {
  awk -v part="$(folded_total "^$name;(.*;)?main;outer;middle;(heavy|light)(;| )" "$1")" \
    -v all="$(folded_total "^$name;" "$1")" 'BEGIN { print all ? 100 * part / all : 0 }'
}

begin_counted -F 499 -o - -o "$tmp/out.folded" -o "$tmp/out.json"
seq 200 | xargs -P 4 -I{} "$brief" 0.02cpu
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/out.folded"
expect_named "$tmp/out.folded"
expect_seen "$tmp/out.json"
# Each process gives about ten samples, and a stolen CPU may take most of them. Loading and ending take less time than
# the work.
expect_between "$(share_in_leaves "$tmp/out.folded")" 50 100 "per cent of their samples in their leaves"
# The table has one row per process.
expect_between "$(grep -oE "^    -                $name \([0-9]+\)\$" "$tmp/out" | sort -u | wc -l)" 2 200 "processes seen"

sample_folded -F 1999 -o - -o "$tmp/out.json" -- bash -c 'for ((i = 0; i < 50; i++)); do "$0" 0.02cpu; done' "$brief"
expect_named "$tmp/out"
expect_seen "$tmp/out.json"
expect_between "$(share_in_leaves "$tmp/out")" 50 100 "per cent of its samples in its leaves"
sample_folded -F 1999 -- "$brief" 0.05cpu
expect_named "$tmp/out"
