#!/bin/bash
# Without symbols a frame is [module+0xstart]. It says where the function begins, as the linker's symbol table does.
source "$(dirname "$0")/sampling.bash"
need_command strip nm objcopy

cp "$WORKLOADS/leaves" "$tmp/bare"
strip "$tmp/bare"
start "$tmp/bare" 600
wait_until is_at_work "$started"
sample_enough 200 -F 1999 -U -p "$started" 1
expect_share ';\[bare\+0x[0-9a-f]+\] ' 95 100
expect_absent ';(main|outer|middle|heavy|light)(;| )'
# The leaves are two functions with costs of 2:1.
nm --defined-only "$WORKLOADS/leaves" >"$tmp/symbols"
python3 - "$tmp/out" "$tmp/symbols" <<'PYTHON' || fail "$(outcome)"
import re, sys
symbols = {int(line.split()[0], 16): line.split()[2] for line in open(sys.argv[2]) if line.split()[1] in "tT"}
samples = {}
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    leaf = re.fullmatch(r"\[bare\+0x([0-9a-f]+)\]", stack.split(";")[-1])
    if leaf:
        name = symbols[int(leaf.group(1), 16)]
        samples[name] = samples.get(name, 0) + int(count)
total = sum(samples.values())
share = 100 * samples["heavy"] / total
print(samples)
# The same tolerance as expect_near.
assert total > 100 and abs(share - 66.7) < 0.8 + 6.2 * (66.7 * 33.3 / total) ** 0.5, share
PYTHON

sought=('^    \[bare\+0x[0-9a-f]+\]\+0x[0-9a-f]+$')
sample_until is_seen -F 499 -p "$started" 0.3

# A diff pairs the functions of one build of the file, and keeps apart those of two builds.
profile -F 499 -U -p "$started" -o "$tmp/first.pb.gz" 0.3
profile -F 499 -U -p "$started" -o "$tmp/second.pb.gz" 0.3
profile diff "$tmp/first.pb.gz" "$tmp/second.pb.gz"
expect_status 0
expect_no_out '\[bare [0-9a-f]{8}\+'
mkdir "$tmp/new"
objcopy --dump-section .note.gnu.build-id="$tmp/id" "$tmp/bare" "$tmp/unused"
printf 'other' | dd of="$tmp/id" bs=1 seek=16 conv=notrunc status=none
objcopy --update-section .note.gnu.build-id="$tmp/id" "$tmp/bare" "$tmp/new/bare"
start "$tmp/new/bare" 600
wait_until is_at_work "$started"
profile -F 499 -U -p "$started" -o "$tmp/second.pb.gz" 0.3
profile diff "$tmp/first.pb.gz" "$tmp/second.pb.gz"
expect_status 0
expect_out '\[bare [0-9a-f]{8}\+0x[0-9a-f]+\]'
