#!/bin/bash
# What was recorded without symbols is named later: from the debug file, by the build-id that stands beside each frame,
# whether the program is still there or not. A debug file of another build names nothing.
source "$(dirname "$0")/compiling.bash"
need_command objcopy strip readelf

build_leaves "$tmp/bare" "" -Wl,--build-id
id=$(readelf -n "$tmp/bare" | sed -n 's/.*Build ID: //p')
mkdir -p "$tmp/debug/.build-id/${id:0:2}" "$tmp/other/.build-id/${id:0:2}" "$tmp/empty"
objcopy --only-keep-debug "$tmp/bare" "$tmp/debug/.build-id/${id:0:2}/${id:2}.debug" || fail "objcopy"
strip "$tmp/bare" || fail "strip"
build_leaves "$tmp/another" other_ -Wl,--build-id
objcopy --only-keep-debug "$tmp/another" "$tmp/other/.build-id/${id:0:2}/${id:2}.debug"

sample -U -F 999 -o "$tmp/run.db" -o "$tmp/run.pb.gz" -o "$tmp/run.json" -- "$tmp/bare" 0.5cpu
expect_bare() {
  expect_status 0
  expect_silence err
  expect_share ';\[bare\+0x[0-9a-f]+\] ' 95 100
  if grep -Eq ';(main|outer|middle|heavy|light|other_heavy)(;| )' "$tmp/out"; then fail "a name from nowhere: $(outcome)"; fi
}
expect_named() {
  expect_status 0
  expect_silence err
  expect_near ';main;outer;middle;heavy ' 66.7
  expect_near ';main;outer;middle;light ' 33.3
}
for _ in here gone; do
  for file in "$tmp/run.db" "$tmp/run.pb.gz" "$tmp/run.json"; do
    profile report -q -f "$file"
    expect_bare
    for directory in empty other; do
      profile report -q -f --debug-dir "$tmp/$directory" "$file"
      expect_bare
    done
    profile report -q -f --debug-dir "$tmp/empty" --debug-dir "$tmp/debug" "$file"
    expect_named
  done
  # A filter by name sees the new names, and lines come from the debug file.
  profile report -q -f --focus '^heavy$' --debug-dir "$tmp/debug" "$tmp/run.db"
  expect_share ';heavy ' 100 100
  profile report -q -f --lines --debug-dir "$tmp/debug" "$tmp/run.db"
  expect_near ";heavy leaves.c:$(line_of leaves heavy) " 66.7
  rm -f "$tmp/bare"
done
profile report -q -f --debug-dir "$tmp/absent" "$tmp/run.db"
expect_status 1
expect_err '--debug-dir .*/absent: No such file or directory'
profile report -q --debug-dir "$tmp/debug" -o "$tmp/a.pftrace" "$tmp/run.db"
expect_status 2
expect_err 'cannot be combined with the format perfetto'
