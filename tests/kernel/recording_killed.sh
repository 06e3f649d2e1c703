#!/bin/bash
# SIGKILL at random moments: each of thirty recordings is intact, has all but the last moments, and says that it is not
# complete.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3

burn many_stacks 300/3
busy=$started
ask() { sqlite3 "$tmp/run.db" "$1"; }
exists() { [[ -s $tmp/run.db ]] && [[ $(ask 'SELECT count(*) FROM runs' 2>"$tmp/null") == 1 ]]; }
for ((round = 1; round <= 30; round++)); do
  rm -f "$tmp"/run.db*
  tied "$PROFILE" record -q -F 4999 -p "$busy" -o "$tmp/run.db" &
  profiler=$!
  wait_until exists
  # Up to three transactions long, in steps that have no rhythm with them.
  sleep "$(awk -v round="$round" 'BEGIN { print round * 0.618 % 1 * 3 }')"
  kill -KILL "$profiler"
  killed_us=$(awk -v ns="$(date +%s%N)" -v began="$(ask 'SELECT began_unix_ns FROM runs')" 'BEGIN { printf "%d", (ns - began) / 1000 }')
  wait "$profiler" 2>"$tmp/null"

  expect_equal "$(ask 'PRAGMA integrity_check')" ok "round $round: the file"
  expect_equal "$(ask 'SELECT is_complete FROM runs')" 0 "round $round: whether it came to its end"
  samples=$(ask 'SELECT count(*) FROM samples')
  expect_equal "$samples" "$(ask 'SELECT ifnull(sum(recorded), 0) FROM account')" "round $round: samples"
  committed_us=$(ask 'SELECT duration_us FROM runs')
  ((killed_us - committed_us < 2000000)) || fail "round $round: committed until $committed_us us, killed at $killed_us us"
  ((committed_us == 0 || samples > 0)) || fail "round $round: no sample in $committed_us us"
  profile report -q -f "$tmp/run.db"
  expect_status 0
  expect_equal "$(folded_total '' "$tmp/out")" "$samples" "round $round: samples of the report"
done
