#!/bin/bash
# -g writes one picture per interval, numbered from 0001 without gaps. Each is a complete PNG of the same size, and an
# interval without samples also has one, so that the film keeps its time.
source "$(dirname "$0")/sampling.bash"
need_timeliness

cat >"$tmp/frames.py" <<'EOF'
import glob, struct, sys, zlib

def size_of(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path + ": no PNG"
    at, size, pixels, ended = 8, None, b"", False
    while at < len(data):
        assert not ended, path + ": goes on behind its end"
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert crc == zlib.crc32(kind + body), path + ": damaged"
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            depth, color = body[8], body[9]
        if kind == b"IDAT": pixels += body
        ended = kind == b"IEND"
        at += 12 + length
    assert ended, path + ": has no end"
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    row = 1 + (size[0] * channels * depth + 7) // 8
    assert len(zlib.decompress(pixels)) == row * size[1], path + ": not all of its pixels"
    return size

frames = sorted(glob.glob(sys.argv[1] + "/*"))
names = [frame.rsplit("/", 1)[1] for frame in frames]
assert names == [sys.argv[2] % (i + 1) for i in range(len(names))], names
sizes = {size_of(frame) for frame in frames}
assert len(sizes) == 1, sizes
print(len(frames), *sizes.pop())
EOF
# film DIRECTORY NAME [ARGUMENT...] : makes a film of at least three pictures: one per interval, and one for the rest at
# the end. Where drawing takes longer than an interval, one picture covers about two; there is never one too many.
film() {
  local most
  begin -F 499 -i 0.3 "${@:3}"
  # shellcheck disable=SC2059
  wait_until test -s "$1/$(printf "$2" 3)"
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  found=$(python3 "$tmp/frames.py" "$1" "$2" 2>&1) || fail "$found"
  most=$(sed -nE 's/^[0-9]+ samples in ([0-9.]+) s .*/\1/p' "$tmp/err" | awk '{ print int(($1 + 0.1) / 0.3) + 1 }')
  expect_between "${found%% *}" 3 "$most" "frames"
}

burn leaves 600
leaves=$started
film "$tmp/frames" flamegraph%04d.png -p "$leaves" -g "$tmp/frames/flamegraph%04d.png"
expect_equal "${found#* }" "1280 720" "size of the pictures"
film "$tmp/large" %04d.png --size 1921x1080 -p "$leaves" -g "$tmp/large/%04d.png"
expect_equal "${found#* }" "1922 1080" "size of the pictures"

# An interval without samples still gets its picture.
start sleep 600
film "$tmp/nothing" %04d.png -p "$started" -g "$tmp/nothing/%04d.png"
expect_equal "$recorded" 0 "samples of a process that sleeps"

# The profiler's own work is not in the pictures, while reports show it.
cat >"$tmp/colourful.py" <<'EOF'
import struct, sys, zlib
data, at, pixels = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
    if kind == b"IHDR": width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT": pixels += data[at + 8:at + 8 + length]
    at += 12 + length
assert depth == 8 and color in (2, 6), (depth, color)
step = 3 if color == 2 else 4
raw, before, colourful = zlib.decompress(pixels), bytearray(step * width), 0
for y in range(height):
    kind, row = raw[y * (step * width + 1)], bytearray(raw[y * (step * width + 1) + 1:(y + 1) * (step * width + 1)])
    for x in range(len(row)):
        left, up, corner = (row[x - step], before[x], before[x - step]) if x >= step else (0, before[x], 0)
        if kind == 1: row[x] = (row[x] + left) & 255
        if kind == 2: row[x] = (row[x] + up) & 255
        if kind == 3: row[x] = (row[x] + (left + up) // 2) & 255
        if kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            row[x] = (row[x] + nearest[2]) & 255
    colourful += sum(max(row[x:x + 3]) - min(row[x:x + 3]) > 60 for x in range(0, len(row), step))
    before = row
print(colourful)
EOF
# Under another name, because other tests run profilers, too.
mkdir "$tmp/alone"
cp "$(dirname "$PROFILE")"/profile-*.so "$tmp/alone"
cp "$PROFILE" "$tmp/alone/filmer"
PROFILE=$tmp/alone/filmer film "$tmp/own" %04d.png --size 500x200 --comm filmer -o "$tmp/own.folded" -g "$tmp/own/%04d.png"
grep -q '^filmer' "$tmp/own.folded" || fail "nothing of the profiler in its report"
expect_equal "$(python3 "$tmp/colourful.py" "$tmp/own/0002.png")" 0 "pixels of boxes without the profiler's work"
film "$tmp/others" %04d.png --size 500x200 -p "$leaves" -g "$tmp/others/%04d.png"
(($(python3 "$tmp/colourful.py" "$tmp/others/0002.png") > 1000)) || fail "no boxes of another process"

# -E does the same, with a default name unless a name is given.
mkdir "$tmp/here"
cd "$tmp/here" || fail "cannot go there"
film "$tmp/here" flamegraph%04d.png -p "$leaves" -E

# A film needs a name with a number in it.
profile -i 1 -g "$tmp/frame.png" 1
expect_status 2
expect_err '^profile: .*frame\.png: '
