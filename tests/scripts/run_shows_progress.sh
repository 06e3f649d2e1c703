#!/bin/bash
# On a terminal scripts/run shows how far the build is, on one line that is gone at the end. Elsewhere it does not.
source "$(dirname "$0")/checkout.bash"
need_root
need_command script
make_checkout "$tmp/checkout"

# A build that goes on until the terminal has shown where it is.
mv "$tmp/bin/cmake" "$tmp/bin/cmake-without-progress"
put cmake <<'SCRIPT'
if [[ $1 == --build ]]; then
  printf '[7/9] Building %0200d\n' 0
  until grep -q '\[7/9\]' "$RECORDS/screen"; do sleep 0.1; done
fi
exec cmake-without-progress "$@"
SCRIPT
run timeout 60 script -qefc "'$script' -f" "$tmp/screen"
expect_status 9
grep -aqP '\r\e\[K\[7/9\] Building 0{64}\r\e\[K\[-f\]\r?$' "$tmp/screen" ||
  fail "this was on the terminal: $(cat -v "$tmp/screen")"

run_script -f
expect_status 9
expect_silence err
