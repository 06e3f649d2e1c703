#!/bin/bash
# A speedscope file of a real run has the form that speedscope's reader requires, and the totals of the folded lines.
# The golden files are checked, too.
source "$(dirname "$0")/../lib.sh"
need_command python3

check() { run python3 "$SOURCE_DIR/tests/tools/validate_speedscope.py" "$@"; }
for golden in default:$((92 * 20408163)) lines:$((17 * 20408163)) wall:4700000; do
  check "$SOURCE_DIR/tests/unit/golden/${golden%:*}.speedscope"
  expect_status 0
  expect_equal "$(<"$tmp/out")" "${golden#*:}" "total of ${golden%:*}"
done

# rejected EXPRESSION WHAT : sed's EXPRESSION breaks a good file, and the validator says so.
rejected() {
  sed "$1" "$SOURCE_DIR/tests/unit/golden/wall.speedscope" >"$tmp/bad"
  check "$tmp/bad"
  expect_status 1
  expect_err "$2"
}
rejected 's/"unit":"microseconds"/"unit":"samples"/' 'unit'
rejected 's/"samples":\[\[[0-9]*/"samples":[[99/' 'frame 99'
rejected 's/"weights":\[[0-9]*,/"weights":[/' 'weights'
rejected 's/"endValue":4700000/"endValue":1/' 'endValue'
rejected 's/"line"/"row"/; s/"file":"dd"/"path":"dd"/' 'path'
rejected 's/"type":"sampled",//' 'type'

need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/a.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o "$tmp/a.speedscope.json" -o "$tmp/a.folded"
check "$tmp/a.speedscope.json"
expect_status 0
expect_equal "$(<"$tmp/out")" "$(($(folded_total . "$tmp/a.folded") * 1001001))" "nanoseconds at 999 Hertz"
grep -q '"name":"heavy","file":"leaves"' "$tmp/a.speedscope.json" || fail "$(head -c 2000 "$tmp/a.speedscope.json")"
