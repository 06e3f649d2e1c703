#!/bin/bash
# The tarball that cpack makes runs on a system that has only a shell, from any directory. So does the rpm.
source "$(dirname "$0")/../lib.sh"
source "$(dirname "$0")/portable.bash"

# This part mounts file systems, in its own mount namespace.
in_an_empty_system() {
  mount_kernel "$1"
  has_all_parts "$1" "$2"
}
if [[ ${1:-} == --inside ]]; then
  in_an_empty_system "${@:2}"
  exit 0
fi
need_root
need_command cpack chroot unshare python3
need_static_busybox
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"

# empty_system NAME : makes a directory with a shell.
empty_system() {
  add_shell "$tmp/$1"
  mkdir -p "$tmp/$1/usr" && ln -s ../bin "$tmp/$1/usr/bin"
}

make_tarball
version=$("$PROFILE" --version | sed 's/^profile //')
expect_equal "$(basename "$tarball")" "profile-$version-linux-$(uname -m).tar.gz" "name of the tarball"
expect_equal "$(tar -tzf "$tarball" | cut -d / -f 1 | sort -u)" "profile-$version-linux-$(uname -m)" "what it unpacks to"
empty_system one
unpack_into "$tmp/one/some where"
[[ -s $tmp/one/some\ where/share/doc/libraries/libc6 ]] || ! is_debian_12 || fail "the C library's licence is missing"
ln -s "/some where/profile" "$tmp/one/bin/profile"
unshare --mount --propagation private bash "$0" --inside "$tmp/one" /bin/profile || exit

need_command rpmbuild rpm
run cpack -G RPM --config "$BUILD_DIR/CPackConfig.cmake" -B "$tmp/rpm"
expect_status 0
package=$(echo "$tmp"/rpm/*.rpm)
[[ -s $package ]] || fail "cpack made no rpm; $(outcome)"
expect_equal "$(rpm -qp --requires "$package" | grep -v '^rpmlib(')" "" "what it requires"
empty_system two
run rpm --root "$tmp/two" --dbpath /rpmdb -i --nodeps --noscripts "$package"
expect_status 0
unshare --mount --propagation private bash "$0" --inside "$tmp/two" /usr/sbin/profile
