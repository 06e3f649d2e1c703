#!/bin/bash
# A stripped program has its names from its debug file below --debug-dir: by build-id, or by the link in it; and a debug file
# of another program is not believed.
source "$(dirname "$0")/compiling.bash"
need_command objcopy strip readelf

# sample_bare : samples what runs as $started, with these options; again where a CPU that was taken away has left too little of it.
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
# make_bare OPTION... : $tmp/bare, stripped, and $tmp/bare.debug with all that was stripped.
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
start "$tmp/bare" 600
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

# As a container has them, which sees other directories: below its own /usr/lib/debug, and beside the program; not what its links
# name in our directories.
inner=$tmp/inner
mkdir "$inner" "$tmp/outside"
make_inner() {
  build_leaves "$inner/bare" "" -static "$@"
  objcopy --only-keep-debug "$inner/bare" "$tmp/inner.debug" || fail "objcopy"
  strip "$inner/bare" || fail "strip"
}
# run_inside : $inner/bare with a root directory and mounts of its own, where $inner is a disk in memory that we do not see.
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
# A link is followed as the container does: to nowhere.
cp "$tmp/inner.debug" "$tmp/outside/its.debug"
ln -sf "$tmp/outside/its.debug" "$inside/$place/${id:2}.debug"
sample_bare
expect_bare
mkdir -p "$inside$tmp/outside"
cp "$tmp/inner.debug" "$inside$tmp/outside/its.debug"
sample_bare
expect_leaves
kill "$started"

# With a root directory of its own alone it has no other paths than ours.
mkdir -p "$inner/$place"
cp "$tmp/inner.debug" "$inner/$place/${id:2}.debug"
cp "$inner/bare" "$tmp/ours"
start "$tmp/ours" 600
ours=$started
wait_until is_at_work "$ours"
start chroot "$inner" /bare 600
sample_bare
expect_leaves
# The same program beside it, which comes first, is not named for that, and what it lacks the other one does not.
sample_bare -p "$ours"
expect_present '^bare;(.*;)?main;outer;middle;heavy '
expect_absent '^bare;(.*;)?\[bare\+'
expect_present '^ours;(.*;)?\[ours\+'
expect_absent '^ours;(.*;)?main;'
# What lies in our directories is good for both.
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
