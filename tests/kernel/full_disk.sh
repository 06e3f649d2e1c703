#!/bin/bash
# An output that cannot be written is one line and exit status 1; the others are complete all the same.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
# told_of NAME
told_of() {
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: .*$1.*No space left on device"
}

for format in folded counted residency; do
  run sh -c 'exec "$0" "$@" >/dev/full' "$PROFILE" -q --format $format -F 499 -p "$leaves" 0.4
  told_of stdout
done
profile -q -f -F 499 -p "$leaves" -o /dev/full 0.4
told_of /dev/full

# Whichever is written first, the samples of the whole run are in the other.
for outputs in "/dev/full $tmp/a.folded" "$tmp/a.folded /dev/full"; do
  for format in -f ''; do
    rm -f "$tmp/a.folded"
    # shellcheck disable=SC2086
    profile $format -F 499 -p "$leaves" -o ${outputs/ / -o } 1
    expect_status 1
    expect_err '^profile: .*/dev/full.*No space left on device'
    expect_balance
    expect_folded_total "$tmp/a.folded"
    expect_err ' samples in 1\.[0-9] s '
    expect_present ';main;outer;middle;heavy ' "$tmp/a.folded"
  done
done
