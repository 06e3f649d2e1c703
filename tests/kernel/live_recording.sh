#!/bin/bash
# The live page saves what it has shown: a recording of the last seconds, with each sample. The limit bounds the memory.
source "$(dirname "$0")/live.bash"
need_command sqlite3

# save SECONDS : the recording is $tmp/saved.db.
save() {
  ask "/recording?seconds=$1"
  expect_code 200
  cp "$tmp/answer" "$tmp/saved.db"
  expect_equal "$(of_saved 'PRAGMA integrity_check')" ok "the saved file"
  expect_equal "$(of_saved 'SELECT count(*) FROM samples')" "$(of_saved 'SELECT ifnull(sum(recorded), 0) FROM account')" "samples of the saved file"
  profile report -q -f "$tmp/saved.db"
  expect_status 0
  expect_equal "$(folded_total)" "$(of_saved 'SELECT count(*) FROM samples')" "samples of the report"
}
of_saved() { sqlite3 "$tmp/saved.db" "$1"; }

burn leaves 600/2
leaves=$started
begin_live -F 499
wait_until is_healthy
has_samples() {
  save 3600
  (($(folded_total '^leaves;') >= 500))
}
wait_until has_samples
expect_present '^leaves;.*;main;outer;middle;heavy '
everything=$(of_saved 'SELECT duration_us FROM runs')
# A part begins at its own time 0, and has only what its samples refer to.
save 1
expect_between "$(of_saved 'SELECT duration_us / 1e6 FROM runs')" 0.5 $((4 * slowness)) "seconds of the part"
expect_equal "$(of_saved 'SELECT min(id) >= 0 FROM samples')" 1 "whether times count from the part's beginning"
expect_equal "$(of_saved 'SELECT count(*) FROM frames WHERE id NOT IN (SELECT frame FROM stacks)')" 0 "frames of nothing"
(($(of_saved 'SELECT duration_us FROM runs') < everything)) || fail "the part is as long as all"
# Whoever may ask does not learn where things lie in memory.
expect_equal "$(of_saved "SELECT count(*) FROM frames WHERE offset > 1 << 40 OR offset < 0")" 0 "addresses in memory"
for wrong in seconds=0 seconds=x pid="$leaves"; do
  ask "/recording?$wrong"
  expect_code 400
done
ask /
grep -q '"recording":"/recording"' "$tmp/answer" || fail "the page does not know of it"
kill -INT "$profiler"
finish
expect_status 0
expect_no_err 'wrote'

# Events without a rate are not kept, because there may be a million a second, and the answer says so. A file of the run
# is saved from as well.
begin_live -e syscalls
wait_until is_healthy
ask /recording
expect_code 404
grep -q 'without a rate.*-o FILE.db' "$tmp/answer" || fail "no reason: $(<"$tmp/answer")"
kill -INT "$profiler"
finish
begin_live -e syscalls -o "$tmp/run.db" -P under/
has_some() {
  save 60
  (($(of_saved 'SELECT count(*) FROM samples') > 0))
}
wait_until has_some
kill -INT "$profiler"
finish
expect_status 0
expect_err "wrote $tmp/run.db"

# Ten thousand stacks a second: the oldest go.
burn many_stacks 600
begin_live -F 4999 -p "$started" --max-size 8M
wait_until is_healthy
is_full() {
  save 3600
  (($(stat -c %s "$tmp/saved.db") > 4000000))
}
wait_until is_full
let_work "$started" 200
save 3600
expect_between "$(stat -c %s "$tmp/saved.db")" 1 12000000 "bytes of a recording with a limit of 8M"
kill -INT "$profiler"
finish
