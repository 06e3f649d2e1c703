#!/bin/bash
# Generated code gets names and lines from the jitdump that the program has mapped: also after it was moved, after the
# program has ended, and beside a perf map. A false dump names nothing else.
source "$(dirname "$0")/sampling.bash"

# burn_here KIND SECONDS : starts jit in a directory where it may write its dumps.
burn_here() {
  mkdir -p "$tmp/dumps"
  start env -C "$tmp/dumps" "$WORKLOADS/jit" "$@"
  wait_until is_at_work "$started"
}

for kind in dump moved; do
  burn_here "$kind" 600
  sample_enough 50 -F 999 -U -p "$started" 0.5
  expect_share ';main;run_made;dumped_loop ' 90 100
  expect_absent 'made.src'
  expect_no_err 'JIT code'
  sample_enough 50 -F 999 -U --lines -p "$started" 0.5
  expect_share ';run_made jit.c:[0-9]+;dumped_loop made.src:7 ' 90 100
  kill "$started"
done

# The dump is empty when it is mapped, and is written during the run. At the end the program and the file are gone.
sample_folded -F 999 -- bash -c 'cd "$1" && "$0" dump 1cpu && rm jit-*.dump' "$WORKLOADS/jit" "$tmp/dumps"
grep '^jit;' "$tmp/out" >"$tmp/jit.folded"
expect_share ';main;run_made;dumped_loop ' 50 100 "$tmp/jit.folded"

# A perf map may name what the dump does not know.
burn_here dump 600
at_exit "rm -f /tmp/perf-$started.map"
dump=$tmp/dumps/jit-$started.dump
truncate -s 40 "$dump"
sample_enough 20 -F 999 -U -p "$started" 0.5
expect_share ';main;run_made;\[unknown\] ' 90 100
expect_err '[0-9]+ JIT code without a perf map'
address=$(awk '$2 == "r-xp" && $6 == "" { print $1; exit }' "/proc/$started/maps")
printf '%s 1000 mapped_loop\n' "${address%-*}" >"/tmp/perf-$started.map"
sample_enough 20 -F 999 -U -p "$started" 0.5
expect_share ';main;run_made;mapped_loop ' 90 100

# A false dump: a record of lines that never ends, a record of length 0, and a large hole.
python3 - "$dump" <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as dump:
    dump.seek(40)
    dump.write(struct.pack("<IIQQQ", 2, 4096, 1, 1, 1 << 60) + b"\xff" * (4096 - 32))
    dump.write(struct.pack("<IIQ", 0, 0, 1))
    dump.truncate(1 << 36)
END
rm "/tmp/perf-$started.map"
sample_enough 20 -F 999 -U --lines -p "$started" 0.5
expect_share ';run_made jit.c:[0-9]+;\[unknown\] ' 90 100
