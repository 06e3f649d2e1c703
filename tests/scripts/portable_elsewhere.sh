#!/bin/bash
# The portable directory runs on other systems and names the programs there: a Debian release with an older C library,
# one with a newer C library, and a system with musl.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/portable.bash"
program=/opt/a\ profiler/profile

# These parts mount file systems, in their own mount namespace and on directories of the caller, so that cleaning up
# never meets the mounts.
# in_debian DIRECTORY TREE : works in its own layer on top of TREE.
in_debian() {
  local system=$1/system layer=$1/layer
  mkdir "$system" "$layer"
  mount -t tmpfs none "$layer" || fail "no tmpfs"
  mkdir "$layer/upper" "$layer/work"
  if ! mount -t overlay overlay -o "lowerdir=$2,upperdir=$layer/upper,workdir=$layer/work" "$system"; then
    mount -t tmpfs none "$system" || fail "no tmpfs"
    cp -a "$2/." "$system" || fail "no copy of $2"
  fi
  mount_kernel "$system"
  unpack_into "$system$(dirname "$program")"
  has_all_parts "$system" "$program"
  can_sample || return 0
  # A program and a C library of that system.
  # shellcheck disable=SC2016
  inside "$system" "$program" -F 999 -f -- perl -e 'my $i = 0; $i++ while $i < 5e6'
  expect_status 0
  expect_between "$(share_of ';main;perl_run;(Perl_runops_standard|<main -e>)')" 50 100 "per cent of the samples in what perl runs"
  # shellcheck disable=SC2016
  inside "$system" "$program" -e malloc -f -- perl -e 'my @all = map { "text $_" } 1 .. 10000'
  expect_status 0
  (($(folded_total '^perl;.*;Perl_[^;]*;([^;]*;)*(malloc|__libc_malloc|realloc)') > 100000)) || fail "perl allocates nothing; $(outcome)"
}

# in_musl DIRECTORY
in_musl() {
  local system=$1/system
  add_shell "$system"
  mkdir -p "$system"/{lib,usr} && ln -s ../bin "$system/usr/bin"
  cp -L "$(readlink -f /lib/ld-musl-*.so.1)" "$system/lib/$(basename /lib/ld-musl-*.so.1)" || fail "there is no musl"
  cat >"$system/works.c" <<'C'
#include <stdlib.h>
#include "workload.h"
void compute(void) { WORK(100 * UNIT); }
void allocate(void) {
  KEEP_FRAME();
  for (int i = 0; i < 10; i++) {
    void* volatile memory = malloc(1000);
    free(memory);
  }
}
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  for (int turn = 0; turn < 10; turn++) {
    for (int i = 0; i < 20; i++) compute();
    allocate();
  }
}
C
  musl-gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -I"$SOURCE_DIR/tests/workloads" \
    -o "$system/works" "$system/works.c" || fail "musl-gcc cannot build"
  mount_kernel "$system"
  unpack_into "$system$(dirname "$program")"
  has_all_parts "$system" "$program"
  can_sample || return 0
  inside "$system" "$program" -F 999 -f -- /works 600
  expect_status 0
  (($(folded_total '^works;.*;main;compute ') > 5)) || fail "main does not compute; $(outcome)"
  inside "$system" "$program" -e malloc -f -- /works 600
  expect_status 0
  expect_equal "$(folded_total ';main;allocate;malloc ')" 100000 "bytes that musl's malloc was asked for"
}
if [[ ${1:-} == --inside ]]; then
  tarball=$3
  "$2" "${@:4}"
  exit 0
fi
need_root
need_command cpack chroot unshare python3 debootstrap musl-gcc
need_static_busybox
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"
own_mounts=(unshare --mount --propagation private)
make_tarball

# inside_of PART ARGUMENT... : runs that part in its own directory.
inside_of() {
  local directory
  directory=$(mktemp -d "$tmp/$1.XXXXXX")
  "${own_mounts[@]}" bash "$0" --inside "$1" "$tarball" "$directory" "${@:2}"
}

inside_of in_musl || exit
# Made once per build directory.
for release in bullseye trixie; do
  tree=$BUILD_DIR/$release
  if [[ ! -e $tree/complete ]]; then
    rm -rf --one-file-system "$tree"
    run "${own_mounts[@]}" debootstrap --variant=minbase "$release" "$tree"
    ((status == 0)) || skip "no $release can be had here (no network?): $(tail -n 1 "$tmp/out")"
    touch "$tree/complete"
  fi
  echo "$release"
  inside_of in_debian "$tree" || exit
done
