#!/bin/bash
# Processes that have computed for 20 ms and are gone when their frames get names: every one has its own.
source "$(dirname "$0")/sampling.bash"
need_timeliness
need_command seq xargs python3
# Nobody else runs anything of this name.
name=brief$$
brief=$tmp/$name
cp "$WORKLOADS/leaves" "$brief"

# expect_named FILE : all that `brief` did in its user stacks below main is named. Its loading and its end are others' code.
expect_named() {
  expect_present "^$name;.*;main;outer;middle;heavy " "$1"
  expect_present "^$name;.*;main;outer;middle;light " "$1"
  # Everything but the linker's common stub, which is nobody's function and stands before .text, at 0x10a0 here.
  expect_absent "^$name;.*\[$name\+0x1(0[a-f]|[12])" "$1"
}
# expect_seen FILE : no frame of `brief` lacks its name because it was looked for too late. Other programs of the machine may
# come and go, and replace their files.
expect_seen() {
  python3 - "$1" "$name" <<'PYTHON' || fail "names came too late"
import json, sys
stacks = json.load(open(sys.argv[1]))["ebpf"]["profile"]
ours = {i for i, process in enumerate(stacks["processes"]) if process["name"] == sys.argv[2]}
late = [f for f in stacks["frames"] if f.get("process") in ours and f.get("unnamed") in ("file_gone", "file_changed", "process_gone")]
sys.exit(f"{len(late)} frames, the first: {late[0]}" if late else 0)
PYTHON
}
# The share of the samples of `brief`, in per cent, that are in its leaves.
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
# Of each there are ten samples, of which a stolen CPU may take most; loading and ending take less than the work.
expect_between "$(share_in_leaves "$tmp/out.folded")" 50 100 "per cent of their samples in their leaves"
# A row a process.
expect_between "$(grep -oE "^    -                $name \([0-9]+\)\$" "$tmp/out" | sort -u | wc -l)" 2 200 "processes seen"

sample_folded -F 1999 -o - -o "$tmp/out.json" -- bash -c 'for ((i = 0; i < 50; i++)); do "$0" 0.02cpu; done' "$brief"
expect_named "$tmp/out"
expect_seen "$tmp/out.json"
expect_between "$(share_in_leaves "$tmp/out")" 50 100 "per cent of its samples in its leaves"
sample_folded -F 1999 -- "$brief" 0.05cpu
expect_named "$tmp/out"
