#!/bin/bash
# Ctrl-C reaches the command once, through the terminal, and the profiler passes on once a signal that it alone gets.
# What the command does after that is sampled, too, and the profiler exits with the command's status.
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
run python3 "$SOURCE_DIR/tests/tools/terminal.py" --press-after "$tmp/answer" \
  "$PROFILE" -F 499 -o "$tmp/a.folded" -- "$WORKLOADS/interrupted" "$tmp/answer" 600
expect_status 7
expect_equal "$(cat "$tmp/answer")" 'SIGINT 1 SIGTERM 0'
cp "$tmp/out" "$tmp/err"
expect_balance
expect_folded_total "$tmp/a.folded"
expect_present ';main;burn_after ' "$tmp/a.folded"
