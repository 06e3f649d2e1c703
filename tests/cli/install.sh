#!/bin/bash
# `cmake --install` puts the binary and the man page where a packager expects them, and the binary runs from there.
source "$(dirname "$0")/../lib.sh"

run cmake --install "$BUILD_DIR" --prefix "$tmp/usr"
expect_status 0
[[ -x $tmp/usr/sbin/profile ]] || fail "no sbin/profile; $(outcome)"
[[ -s $tmp/usr/share/man/man8/profile.8 ]] || fail "no share/man/man8/profile.8; $(outcome)"
[[ -s $tmp/usr/share/profile/profile.schema.json ]] || fail "no share/profile/profile.schema.json; $(outcome)"
expect_equal "$(find "$tmp/usr" -type f | wc -l)" 3 "installed files"

run "$tmp/usr/sbin/profile" --version
expect_status 0
expect_out '[0-9]+\.[0-9]+'
