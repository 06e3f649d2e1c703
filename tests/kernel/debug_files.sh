#!/bin/bash
# A stripped program has its names from its debug file below --debug-dir: by build-id, or by the link in it; and a debug file
# of another program is not believed.
source "$(dirname "$0")/compiling.bash"
need_command objcopy strip readelf

# sample_bare : samples what runs as $started, with these options.
sample_bare() { wait_until is_at_work "$started" && sample_folded -F 3999 -U -p "$started" "$@" 0.4; }
expect_leaves() {
  expect_near ';main;outer;middle;heavy ' 66.7
  expect_near ';main;outer;middle;light ' 33.3
}
expect_bare() {
  expect_share ';\[bare\+0x[0-9a-f]+\] ' 95 100
  expect_absent ';(main|outer|middle|heavy|light)(;| )'
}
# make_bare OPTION... : $tmp/bare, stripped, and $tmp/bare.debug with all that was stripped.
make_bare() {
  build_leaves "$tmp/bare" "" "$@"
  objcopy --only-keep-debug "$tmp/bare" "$tmp/bare.debug" || fail "objcopy"
  strip "$tmp/bare" || fail "strip"
}

make_bare -Wl,--build-id
id=$(readelf -n "$tmp/bare" | sed -n 's/.*Build ID: //p')
((${#id} > 8)) || fail "the program has no build-id: '$id'"
start "$tmp/bare" 60
mkdir -p "$tmp/debug/.build-id/${id:0:2}" "$tmp/empty"
sample_bare --debug-dir "$tmp/debug"
expect_bare
cp "$tmp/bare.debug" "$tmp/debug/.build-id/${id:0:2}/${id:2}.debug"
sample_bare --debug-dir "$tmp/debug"
expect_leaves
sample_bare --debug-dir "$tmp/empty" --debug-dir "$tmp/debug"
expect_leaves
sample_bare --lines --debug-dir "$tmp/debug"
expect_near ";heavy leaves.c:$(line_of leaves heavy) " 66.7
expect_near ";light leaves.c:$(line_of leaves light) " 33.3
sample_bare
expect_bare
# Another program's, under this one's id.
build_leaves "$tmp/other" other_ -Wl,--build-id
objcopy --only-keep-debug "$tmp/other" "$tmp/debug/.build-id/${id:0:2}/${id:2}.debug"
sample_bare --debug-dir "$tmp/debug"
expect_bare
kill "$started"

# By the link: beside the program, below .debug, and below the directory at the path of the program.
make_bare -Wl,--build-id=none
mkdir "$tmp/.debug" "$tmp/keep"
(cd "$tmp" && objcopy --add-gnu-debuglink=bare.debug bare) || fail "objcopy"
mv "$tmp/bare.debug" "$tmp/keep"
start "$tmp/bare" 60
sample_bare
expect_bare
for place in "$tmp" "$tmp/.debug" "$tmp/debug$tmp"; do
  mkdir -p "$place"
  cp "$tmp/keep/bare.debug" "$place"
  sample_bare --debug-dir "$tmp/debug"
  expect_leaves
  # Its check sum is not that in the link.
  objcopy --only-keep-debug "$tmp/other" "$place/bare.debug"
  sample_bare --debug-dir "$tmp/debug"
  expect_bare
  rm "$place/bare.debug"
done
