#!/bin/bash
# A program that reads has user and kernel frames in one stack. Folded lines begin with the root; counted rows begin
# with the kernel and the leaf. -d puts a delimiter between the two parts; -a and -A add marks and addresses.
source "$(dirname "$0")/sampling.bash"

burn reader 600
reader=$started
wait_until is_at_work "$reader"

sample_work "$reader" 40 -F 999
expect_share '^reader;.*main;drain_zero;.*;ksys_read;vfs_read(;| )' 90 100
expect_absent '_\[k\]|;-;|\+0x[0-9a-f]+;'

# run_of_reader [ARGUMENT...] : profiles until the reader has computed long enough.
run_of_reader() {
  begin -F 999 -p "$reader" -o - "$@"
  wait_until has_begun
  let_work "$reader" 40
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
}
run_of_reader -d -a -o "$tmp/a.folded"
expect_folded_total "$tmp/a.folded"
expect_share 'main;drain_zero;-;([^;]+_\[k\];)*ksys_read_\[k\];vfs_read_\[k\](;| )' 90 100 "$tmp/a.folded"
expect_absent 'drain_zero_\[k\]|main_\[k\]' "$tmp/a.folded"
expect_equal "$(counted_total)" "$recorded" "total of the counted rows"
# One block per stack: frames, then the thread, then the count.
python3 - "$tmp/out" <<'PYTHON' || fail "no counted block as it should be; $(outcome)"
import re, sys
header, blocks = open(sys.argv[1]).read().split("\n\n", 1)
right = total = 0
for block in blocks.rstrip("\n").split("\n\n"):
    lines = block.split("\n")
    count = int(re.fullmatch(r"        (\d+)", lines[-1]).group(1))
    assert re.fullmatch(r"    -                reader \(\d+\)", lines[-2]), lines[-2]
    frames = [re.fullmatch(r"    (\S.*)", line).group(1) for line in lines[:-2]]
    total += count
    if "--" in frames:
        kernel, user = frames[:frames.index("--")], frames[frames.index("--") + 1:]
        inner = [i for i, frame in enumerate(kernel) if frame.startswith("vfs_read+0x") and frame.endswith(" [kernel]")]
        if (inner and kernel[inner[0] + 1].startswith("ksys_read+0x")
                and re.fullmatch(r"drain_zero\+0x[0-9a-f]+ \[reader\]", user[0])
                and re.fullmatch(r"main\+0x[0-9a-f]+ \[reader\]", user[1])):
            right += count
assert right > 0.9 * total, (right, total)
counts = [int(n) for n in re.findall(r"^        (\d+)$", blocks, re.M)]
assert counts == sorted(counts), "the rows do not ascend"
PYTHON

run_of_reader -A
expect_out '^    0x[0-9a-f]{16} vfs_read\+0x[0-9a-f]+ \[kernel\]$'
expect_out '^    0x[0-9a-f]{16} drain_zero\+0x[0-9a-f]+ \[reader\]$'
expect_no_out '^    --$'
expect_out '^    -                reader \([0-9]+\)$'
