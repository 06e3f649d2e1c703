#!/bin/bash
# -g writes a picture an interval: numbered from 0001 without gaps, each a whole PNG, all of one size, and one for an
# interval in which nothing happened, too, so that the film keeps its time.
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
# expect_film DIRECTORY NAME COUNT : so many frames, one an interval and one for what is left of it at the end. Where
# drawing takes longer than an interval, as under the sanitizers, one is about two; never is there one too many.
expect_film() {
  found=$(python3 "$tmp/frames.py" "$1" "$2" 2>&1) || fail "$found"
  expect_between "${found%% *}" $((SANITIZED ? $3 / 2 : $3 - 1)) "$3" "frames"
}

burn leaves 600
leaves=$started
sample -F 499 -i 0.5 -p "$leaves" -g "$tmp/frames/flamegraph%04d.png" 3
expect_film "$tmp/frames" flamegraph%04d.png 6

# One in which there is nothing, but that it is one.
start sleep 600
sample -F 499 -i 0.5 -p "$started" -g "$tmp/nothing/%04d.png" 2
expect_equal "$recorded" 0 "samples of a process that sleeps"
expect_film "$tmp/nothing" %04d.png 4

# -E is the same with the name that is meant unless one is given.
mkdir "$tmp/here"
cd "$tmp/here" || fail "cannot go there"
sample -F 499 -i 0.5 -p "$leaves" -E 1.2
expect_film "$tmp/here" flamegraph%04d.png 3

# A name without a number is none for a film.
profile -i 1 -g "$tmp/frame.png" 1
expect_status 2
expect_err '^profile: .*frame\.png: '
