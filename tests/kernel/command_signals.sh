#!/bin/bash
# Ctrl-C reaches the command once, by the terminal, and a signal to the profiler alone is passed on once; what the command
# does then is still sampled, and its exit status is the profiler's.
source "$(dirname "$0")/sampling.bash"
need_command python3

answered() { [[ -s $tmp/answer ]]; }
# interrupted_by SIGNAL
interrupted_by() {
  rm -f "$tmp/answer"
  begin -f -F 499 -- "$WORKLOADS/interrupted" "$tmp/answer" 600
  wait_until answered
  kill -"$1" "$profiler"
  finish
  expect_status 7
  expect_balance
  expect_folded_total
  expect_present ';main;burn_after '
}
interrupted_by TERM
expect_equal "$(cat "$tmp/answer")" 'SIGINT 0 SIGTERM 1'
interrupted_by INT
expect_equal "$(cat "$tmp/answer")" 'SIGINT 0 SIGTERM 1'

rm "$tmp/answer"
run python3 "$SOURCE_DIR/tests/terminal.py" --press-after "$tmp/answer" \
  "$PROFILE" -F 499 -o "$tmp/a.folded" -- "$WORKLOADS/interrupted" "$tmp/answer" 600
expect_status 7
expect_equal "$(cat "$tmp/answer")" 'SIGINT 1 SIGTERM 0'
cp "$tmp/out" "$tmp/err"
expect_balance
expect_folded_total "$tmp/a.folded"
expect_present ';main;burn_after ' "$tmp/a.folded"
