#!/bin/bash
# On other distributions scripts/run names the missing packages and stops. When nothing is missing, it goes on.
source "$(dirname "$0")/checkout.bash"
need_root
make_checkout "$tmp/checkout"
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"

printf 'ID=fedora\nVERSION_ID=40\nPRETTY_NAME="Fedora Linux 40"\n' >"$tmp/os-release"
cat >"$tmp/elsewhere" <<SCRIPT
mount --bind "$tmp/os-release" "$(readlink -f /etc/os-release)" && exec "\$@"
SCRIPT
run unshare --mount bash "$tmp/elsewhere" "$script" -f
expect_status 9
expect_out '^\[-f\]$'

# A command and a header that do not exist.
sed -i 's/^build clang .*/build clang clang-of-nowhere/; s/^build libelf-dev .*/build libelf-dev <no\/such.h>/' \
  "$tmp/checkout/scripts/packages.sh"
run unshare --mount bash "$tmp/elsewhere" "$script" -f
expect_status 1
expect_silence out
expect_err 'Fedora Linux 40.*: clang libelf-dev$'
expect_equal "$(wc -l <"$tmp/err")" 1 "lines said"
[[ ! -e $tmp/apt.calls ]] || fail "apt-get was called: $(cat "$tmp/apt.calls")"
