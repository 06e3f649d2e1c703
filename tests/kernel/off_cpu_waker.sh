#!/bin/bash
# Which thread ends a wait: two processes pass a token, and each is woken only by the other, where it gives the token.
# This holds through the maps, through the ring (maps of 16 places), and in reports that cut waits.
source "$(dirname "$0")/sampling.bash"
need_event off-cpu
need_command python3

# tell_wakers JSON: prints how many waits have a waker and how many do not. It counts waits instead of adding their
# lengths, because one wait can be long.
tell_wakers() {
  python3 - "$1" <<'END'
import json, sys
told = json.load(open(sys.argv[1]))["ebpf"]["offcpu"]["stack_traces"]
counts = [0, 0]
for row in told["rows"]:
    frames = [told["frames"][frame].get("symbol") for name in ("user", "kernel") if name in row and row[name] != "missed"
              for frame in told["stacks"][row[name]]]
    assert "--" not in frames, frames
    counts["waker" not in row] += row["samples"]
    if row["thread"] == "left" and row.get("waker") == "right" and row.get("waker_user_end") == "root":
        assert "right_gives" in [told["frames"][frame].get("symbol") for frame in told["stacks"][row["waker_user"]]], row
print(*counts)
END
}

# woken_by_each_other NAME
woken_by_each_other() {
  local one other by none
  for one in left right; do
    if [[ $one == left ]]; then other=right; else other=left; fi
    # The stack leads from the process that gives the token to the process that waits for it.
    expect_present "^$one;(.*;)?${one}_waits;.*;--;.*;${other}_gives;.*;$other [0-9]+$" "$1.folded"
    # Ctrl-C and the end of the other process also wake a thread, but they pass no token.
    expect_absent "^$one;(.*;)?${one}_waits;.*;--;.*;(left|right)_waits;" "$1.folded"
    expect_absent "^$one;(.*;)?${one}_waits;.*;--;.*;${one}_gives;" "$1.folded"
  done
  expect_absent ';(bpf_prog_|bpf_trace_run|__traceiter_|__bpf_trace_)' "$1.folded"
  # The first wait of a thread may end before its entry exists.
  read -r by none < <(tell_wakers "$1.json")
  ((by > 100 && none * 50 <= by)) || fail "$none waits have no waker, $by have; $(outcome)"
}

for arguments in "" "--stack-storage-size 16 --hash-storage-size 16"; do
  # shellcheck disable=SC2086
  sample -e off-cpu --waker --state interruptible $arguments -o "$tmp/a.folded" -o "$tmp/a.txt" -o "$tmp/a.json" \
    -o "$tmp/a.pb.gz" -- "$WORKLOADS/token" 2000 60
  # No function has the name of a thread.
  expect_no_err '% +(left|right|--)( |$)'
  woken_by_each_other "$tmp/a"
  # What was data becomes frames again.
  for file in a.json a.pb.gz; do
    profile report -q -o "$tmp/again.folded" "$tmp/$file"
    expect_status 0
    expect_present '^left;(.*;)?left_waits;.*;--;.*;right_gives;.*;right [0-9]+$' "$tmp/again.folded"
    expect_equal "$(folded_total . "$tmp/again.folded")" "$(folded_total . "$tmp/a.folded")" "total of $file"
  done
  expect_equal "$(counted_total "$tmp/a.txt")" "$(folded_total . "$tmp/a.folded")" "total of the counted rows"
done

# Frame pointers miss the caller of read and write.
sample -e off-cpu --waker --state interruptible --unwind fp -f -- "$WORKLOADS/token" 2000 60
expect_present '^left;.*;main;read;.*;--;.*;write;main;.*;right [0-9]+$'
expect_present '^right;.*;main;read;.*;--;.*;write;main;.*;left [0-9]+$'

# The same when reports cut the waits and only one process is sampled. The other is not sampled, but is still named as
# the waker.
burn token 100000000 60
sample -e off-cpu --waker --state interruptible -p "$started" -i 0.3 -f 1
expect_present '^left;(.*;)?left_waits;.*;--;.*;right_gives;.*;right [0-9]+$'
expect_absent '^right;'

# Without --waker no waker is shown.
sample -e off-cpu --state interruptible -o "$tmp/c.folded" -- "$WORKLOADS/token" 200 60
expect_absent ';--;' "$tmp/c.folded"
