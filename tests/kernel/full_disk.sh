#!/bin/bash
# An output that cannot be written gives one line on stderr and exit status 1. The other outputs are still complete.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
# told_of NAME
told_of() {
  expect_status 1
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: .*$1.*No space left on device"
}

# run_full COMMAND... SECONDS : repeats for twice the time while there was nothing to write, as on a busy machine.
run_full() {
  local window
  for ((window = ${*: -1}; window <= 64; window *= 2)); do
    run "${@:1:$#-1}" "$window"
    if ((status != 0)); then return; fi
  done
}
for format in folded counted residency; do
  run_full sh -c 'exec "$0" "$@" >/dev/full' "$PROFILE" -q --format $format -F 499 -p "$leaves" 1
  told_of stdout
done
run_full "$PROFILE" -q -f -F 499 -p "$leaves" -o /dev/full 1
told_of /dev/full

has_heavy() { grep -qs ';main;outer;middle;heavy ' "$tmp/a.folded"; }
# In either order, the other output has the samples of the whole run.
for outputs in "/dev/full $tmp/a.folded" "$tmp/a.folded /dev/full"; do
  for format in -f ''; do
    for window in 0.5 1 2 4 8 16 32 64; do
      rm -f "$tmp/a.folded"
      # shellcheck disable=SC2086
      profile $format -F 499 -p "$leaves" -o ${outputs/ / -o } "$window"
      if has_heavy; then break; fi
    done
    expect_status 1
    expect_err '^profile: .*/dev/full.*No space left on device'
    expect_balance
    expect_folded_total "$tmp/a.folded"
    expect_err ' samples in [0-9.]+ s '
    expect_present ';main;outer;middle;heavy ' "$tmp/a.folded"
  done
done
