# shellcheck shell=bash
# Makes the Debian package. Sourced after lib.sh.
: "${tmp:?}" "${BUILD_DIR:?}"
need_command cpack dpkg-deb dpkg-shlibdeps

# make_package : sets $package.
make_package() {
  run cpack -G DEB --config "$BUILD_DIR/CPackConfig.cmake" -B "$tmp/made"
  expect_status 0
  package=$(echo "$tmp"/made/*.deb)
  [[ -s $package ]] || fail "cpack made no package; $(outcome)"
}
