#!/bin/bash
# scripts/run builds as the user, and uses sudo only for the profiler and for apt-get. Without sudo one line says that
# root is needed.
source "$(dirname "$0")/checkout.bash"
need_root
need_command setpriv
is_debian_12 || skip "this is not Debian 12"
make_checkout "$tmp/checkout"
chown -R nobody: "$tmp"
as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)

if ! command -v sudo >/dev/null; then
  run "${as_user[@]}" "$script" -f 5
  expect_status 1
  expect_silence out
  expect_equal "$(cat "$tmp/err")" "run: profiling needs root, and there is no sudo here: run this as root" stderr
fi

# A fake sudo that records its arguments and runs the command as the same user.
put sudo <<'SCRIPT'
echo "$*" >>"$RECORDS/sudo.calls"
shift
exec "$@"
SCRIPT
MISSING=clang run "${as_user[@]}" "$script" -f 5
expect_status 9
expect_equal "$(cat "$tmp/out")" "$(printf '[-f]\n[5]')" stdout
expect_equal "$(grep -c 'apt-get .*install --no-install-recommends clang$' "$tmp/sudo.calls")" 1 "installations by sudo"
expect_equal "$(tail -n 1 "$tmp/sudo.calls")" "-- $tmp/checkout/build/profile -f 5" "the last call of sudo"
expect_equal "$(wc -l <"$tmp/sudo.calls")" 2 "calls of sudo"
expect_equal "$(stat -c %U "$tmp/checkout/build/CMakeCache.txt")" nobody "owner of the build"
