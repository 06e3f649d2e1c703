#!/bin/bash
# A stripped program gets its names from its debug file below --debug-dir, by build-id or by its debug link. A debug
# file of another program is refused.
source "$(dirname "$0")/compiling.bash"
need_command objcopy strip readelf

# sample_bare : samples $started with these options; repeats when a stolen CPU leaves too few samples.
sample_bare() {
  local round
  for round in {1..20}; do
    sample_work "$started" $((10 * (1 + SANITIZED))) -F 3999 -U "$@"
    if ((recorded >= 100)); then return; fi
  done
  fail "$recorded samples in the last of $round runs"
}
expect_leaves() {
  expect_near ';main;outer;middle;heavy ' 66.7
  expect_near ';main;outer;middle;light ' 33.3
}
expect_bare() {
  expect_share ';\[bare\+0x[0-9a-f]+\] ' 95 100
  expect_absent ';(main|outer|middle|heavy|light)(;| )'
}
# make_bare OPTION... : makes $tmp/bare, stripped, and $tmp/bare.debug with all that was stripped.
make_bare() {
  build_leaves "$tmp/bare" "" "$@"
  objcopy --only-keep-debug "$tmp/bare" "$tmp/bare.debug" || fail "objcopy"
  strip "$tmp/bare" || fail "strip"
}

make_bare -Wl,--build-id
id=$(readelf -n "$tmp/bare" | sed -n 's/.*Build ID: //p')
((${#id} > 8)) || fail "the program has no build-id: '$id'"
start "$tmp/bare" 600
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
# The debug file of another program, under this program's build-id.
build_leaves "$tmp/other" other_ -Wl,--build-id
objcopy --only-keep-debug "$tmp/other" "$tmp/debug/.build-id/${id:0:2}/${id:2}.debug"
sample_bare --debug-dir "$tmp/debug"
expect_bare
kill "$started"

# By the link: beside the program, in .debug, and below the debug directory at the program's path.
make_bare -Wl,--build-id=none
mkdir "$tmp/.debug" "$tmp/keep"
(cd "$tmp" && objcopy --add-gnu-debuglink=bare.debug bare) || fail "objcopy"
mv "$tmp/bare.debug" "$tmp/keep"
start "$tmp/bare" 600
sample_bare
expect_bare
for place in "$tmp" "$tmp/.debug" "$tmp/debug$tmp"; do
  mkdir -p "$place"
  cp "$tmp/keep/bare.debug" "$place"
  sample_bare --debug-dir "$tmp/debug"
  expect_leaves
  # Its checksum differs from the one in the link.
  objcopy --only-keep-debug "$tmp/other" "$place/bare.debug"
  sample_bare --debug-dir "$tmp/debug"
  expect_bare
  rm "$place/bare.debug"
done

# In a container, which sees other directories: the debug file is below the container's own /usr/lib/debug, or beside
# the program. Links in the container must not reach files outside.
inner=$tmp/inner
mkdir "$inner" "$tmp/outside"
make_inner() {
  build_leaves "$inner/bare" "" -static "$@"
  objcopy --only-keep-debug "$inner/bare" "$tmp/inner.debug" || fail "objcopy"
  strip "$inner/bare" || fail "strip"
}
# run_inside : runs $inner/bare with its own root directory and mounts. There $inner is a file system in memory that is
# invisible outside.
run_inside() {
  start unshare --mount sh -c '
    mount --make-rprivate / && mkdir -p "$2" && mount --bind "$1" "$2" && mount -t tmpfs inner "$1" && cp -a "$2/." "$1" && cd "$1" &&
      exec chroot . /bare 600' sh "$inner" "$tmp/source"
  is_inside() { [[ $(readlink "/proc/$started/root") == "$inner" && -e /proc/$started/root/bare ]] && is_at_work "$started"; }
  wait_until is_inside
}
make_inner -Wl,--build-id
id=$(readelf -n "$inner/bare" | sed -n 's/.*Build ID: //p')
place=usr/lib/debug/.build-id/${id:0:2}
run_inside
inside=/proc/$started/root
sample_bare
expect_bare
mkdir -p "$inside/$place"
cp "$tmp/inner.debug" "$inside/$place/${id:2}.debug"
[[ ! -e $inner/$place && ! -e /$place/${id:2}.debug ]] || fail "the container's files are seen outside"
sample_bare
expect_leaves
sample_bare --lines
expect_near ";heavy leaves.c:$(line_of leaves heavy) " 66.7
# The link is resolved inside the container, where its target does not exist.
cp "$tmp/inner.debug" "$tmp/outside/its.debug"
ln -sf "$tmp/outside/its.debug" "$inside/$place/${id:2}.debug"
sample_bare
expect_bare
mkdir -p "$inside$tmp/outside"
cp "$tmp/inner.debug" "$inside$tmp/outside/its.debug"
sample_bare
expect_leaves
kill "$started"

# A process with another root directory but the same mounts has no paths that this test does not see.
mkdir -p "$inner/$place"
cp "$tmp/inner.debug" "$inner/$place/${id:2}.debug"
cp "$inner/bare" "$tmp/ours"
start "$tmp/ours" 600
ours=$started
wait_until is_at_work "$ours"
start chroot "$inner" /bare 600
sample_bare
expect_leaves
# The same program outside the container also runs. It gets no names from the container, and it does not take the
# container's names away.
sample_bare -p "$ours"
expect_present '^bare;(.*;)?main;outer;middle;heavy '
expect_absent '^bare;(.*;)?\[bare\+'
expect_present '^ours;(.*;)?\[ours\+'
expect_absent '^ours;(.*;)?main;'
# A debug file in the directories outside serves both.
mv "$inner/$place" "$tmp/theirs"
mkdir -p "$tmp/debug/.build-id"
mv "$tmp/theirs" "$tmp/debug/.build-id/${id:0:2}"
sample_bare -p "$ours" --debug-dir "$tmp/debug"
expect_present '^bare;(.*;)?main;outer;middle;heavy '
expect_present '^ours;(.*;)?main;outer;middle;heavy '
expect_absent '\[(bare|ours)\+'
kill "$started" "$ours"
rm -r "${inner:?}/usr"

make_inner -Wl,--build-id=none
(cd "$tmp" && cp inner.debug bare.debug && objcopy --add-gnu-debuglink=bare.debug "$inner/bare") || fail "objcopy"
run_inside
inside=/proc/$started/root
sample_bare
expect_bare
for place in "" /.debug /usr/lib/debug; do
  mkdir -p "$inside$place"
  cp "$tmp/bare.debug" "$inside$place/bare.debug"
  sample_bare
  expect_leaves
  rm "$inside$place/bare.debug"
done
kill "$started"
start chroot "$inner" /bare 600
cp "$tmp/bare.debug" "$inner/bare.debug"
sample_bare
expect_leaves
