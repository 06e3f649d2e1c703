#!/bin/bash
# On Debian 12 scripts/run installs exactly what is missing. It fetches new package lists only when the first try fails.
source "$(dirname "$0")/checkout.bash"
need_root
is_debian_12 || skip "this is not Debian 12"
make_checkout "$tmp/checkout"

MISSING='bpftool clang' run_script
expect_status 9
expect_err '^run: installing: clang bpftool$'
expect_no_out apt-get
expect_equal "$(cat "$tmp/apt.calls")" "install --no-install-recommends clang bpftool" "calls of apt-get"

rm "$tmp/apt.calls"
MISSING=clang APT_IS_STALE=1 run_script
expect_status 9
expect_equal "$(cat "$tmp/apt.calls")" "install --no-install-recommends clang
update
install --no-install-recommends clang" "calls of apt-get"

MISSING=clang APT_FAILS=1 run_script
expect_status 1
expect_silence out
expect_err '^run: apt-get update failed; the whole log is '
