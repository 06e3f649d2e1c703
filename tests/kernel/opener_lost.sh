#!/bin/bash
# After the death of the process that opens files, or of the one that starts it, new programs have no names. The run
# says so, and blames no file system.
source "$(dirname "$0")/children.bash"
need_command python3

burn leaves 600/3
leaves=$started
cp "$WORKLOADS/leaves" "$tmp/later"
# lose NAME : the run goes on without that child.
lose() {
  rm -f "$tmp/go"
  # shellcheck disable=SC2016  # the shell that is started expands these
  start sh -c 'until [ -e "$0" ]; do sleep 0.05; done; exec "$1" 600/3' "$tmp/go" "$tmp/later"
  later=$started
  begin -F 199 -p "$leaves,$later" -o "$tmp/run.folded" -o "$tmp/run.json"
  for name in "${children[@]}"; do wait_until has_child "$name"; done
  opener=$(child profile-opener)
  kill -KILL "$(child "$1")"
  wait_until is_gone "$opener"
  touch "$tmp/go"
  let_work "$later" 10
  kill -INT "$profiler"
  finish
  { kill -KILL "$later" && wait "$later"; } 2>/dev/null
  expect_status 0
  expect_balance
  mv "$tmp/run.folded" "$tmp/out"
  expect_present '^later;(.*;)?\[later\+0x[0-9a-f]+\]'
  expect_err 'the process that opens files was ended'
  expect_no_err 'not answer'
  python3 - "$tmp/run.json" >"$tmp/reasons" <<'PYTHON' || fail "$1: $(<"$tmp/reasons")"
import json, sys
profile = json.load(open(sys.argv[1]))["ebpf"]["profile"]
later = {i for i, process in enumerate(profile["processes"]) if process["name"] == "later"}
print({f.get("unnamed") for f in profile["frames"] if f.get("process") in later})
sys.exit(any(f.get("unnamed") == "no_answer" for f in profile["frames"]) or not later)
PYTHON
  echo "$1: $(<"$tmp/reasons")"
}
lose profile-opener
lose profile-keeper
