#!/bin/bash
# The tarball that cpack makes runs where nothing is installed: in a system with a shell and nothing else, from any directory,
# and so does the rpm.
source "$(dirname "$0")/../lib.sh"

# The part that has mounts: in a mount namespace of its own.
in_an_empty_system() {
  local start=$1 system=$2 workloads=$3
  mkdir -p "$system"/{proc,sys,tmp,dev}
  mount -t proc none "$system/proc" || fail "no /proc"
  mount -t sysfs none "$system/sys" || fail "no /sys"
  mount -t tracefs none "$system/sys/kernel/tracing" 2>/dev/null
  mknod "$system/dev/null" c 1 3
  cp "$workloads/leaves.static" "$system/tmp/leaves" 2>/dev/null || cp "$workloads/frameless.static" "$system/tmp/leaves"
  inside() { run chroot "$system" /bin/busybox env -i PATH=/bin TERM=xterm HOME=/tmp "$@"; }
  inside "$start" --version
  expect_status 0
  expect_out "^profile $("$PROFILE" --version | sed 's/^profile //')\$"
  [[ -r /sys/kernel/btf/vmlinux ]] && PATH=$PATH:/usr/sbin bpftool prog show >/dev/null 2>&1 || return 0
  # shellcheck disable=SC2016
  inside "$start" -F 999 -f -- /bin/busybox sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
  expect_status 0
  (($(folded_total) > 5)) || fail "it samples nothing; $(outcome)"
  # Its parts: the page, the picture without a font, the live page, the screen.
  inside "$start" -q -o /tmp/a.html -o /tmp/a.pb.gz 0.2
  expect_status 0
  [[ -s $system/tmp/a.html ]] || fail "no page"
  inside "$start" report -f /tmp/a.pb.gz
  expect_status 0
  inside "$start" -T -R 0 0.2
  expect_status 0
  expect_err 'http://127\.0\.0\.1:[0-9]+/'
  run env TERM=xterm python3 "$SOURCE_DIR/tests/terminal.py" chroot "$system" "$start" 0.5 --top
  expect_status 0
  expect_out 'filter'
}
if [[ ${1:-} == --inside ]]; then
  in_an_empty_system "${@:2}"
  exit 0
fi
need_root
need_command cpack chroot unshare busybox python3
file -L "$(command -v busybox)" | grep -q 'statically linked' || skip "busybox is not static here"
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"

# empty_system NAME : a directory with a shell.
empty_system() {
  mkdir -p "$tmp/$1/bin"
  cp "$(command -v busybox)" "$tmp/$1/bin/busybox"
  local name
  for name in sh dirname readlink; do ln -s busybox "$tmp/$1/bin/$name"; done
}

run cpack -G TGZ --config "$BUILD_DIR/CPackConfig.cmake" -B "$tmp/made"
expect_status 0
tarball=$(echo "$tmp"/made/*.tar.gz)
[[ -s $tarball ]] || fail "cpack made no tarball; $(outcome)"
version=$("$PROFILE" --version | sed 's/^profile //')
expect_equal "$(basename "$tarball")" "profile-$version-linux-$(uname -m).tar.gz" "name of the tarball"
expect_equal "$(tar -tzf "$tarball" | cut -d / -f 1 | sort -u)" "profile-$version-linux-$(uname -m)" "what it unpacks to"
empty_system one
mkdir "$tmp/one/some where"
tar -C "$tmp/one/some where" --strip-components=1 -xzf "$tarball"
[[ -s $tmp/one/some\ where/share/doc/libraries/libc6 ]] || ! is_debian_12 || fail "the C library's licence is missing"
ln -s "/some where/profile" "$tmp/one/bin/profile"
unshare --mount --propagation private bash "$0" --inside /bin/profile "$tmp/one" "$WORKLOADS" || exit

need_command rpmbuild rpm
run cpack -G RPM --config "$BUILD_DIR/CPackConfig.cmake" -B "$tmp/rpm"
expect_status 0
package=$(echo "$tmp"/rpm/*.rpm)
[[ -s $package ]] || fail "cpack made no rpm; $(outcome)"
expect_equal "$(rpm -qp --requires "$package" | grep -v '^rpmlib(')" "" "what it requires"
empty_system two
run rpm --root "$tmp/two" --dbpath /rpmdb -i --nodeps --noscripts "$package"
expect_status 0
unshare --mount --propagation private bash "$0" --inside /usr/sbin/profile "$tmp/two" "$WORKLOADS"
