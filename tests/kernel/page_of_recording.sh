#!/bin/bash
# The page of a recording in a browser: a part of the time has what a report of that part has, also with edits.
source "$(dirname "$0")/sampling.bash"
source "$SOURCE_DIR/tests/browser/browser.bash"
need_command sqlite3

ask() { sqlite3 "$tmp/run.db" "$1"; }
# A program that runs one second in four.
"$PROFILE" record -q -F 199 -o "$tmp/run.db" -- bash -c 'for i in 1 2; do "$0" 1cpu; sleep 3; done' "$WORKLOADS/leaves" || fail "record"

plus() { awk "BEGIN {print $1 + $2}"; }
# total_of [OPTION...] : of a report with these options.
total_of() {
  profile report -q -f "$@" "$tmp/run.db"
  expect_status 0
  folded_total '' "$tmp/out"
}
# expect_parts [EDIT...] : on the page, the parts have the totals of reports.
expect_parts() {
  local parts=() from to
  for from in "${froms[@]}"; do
    to=$(plus "$from" 1.25)
    parts+=("$from-$to=$(total_of "$@" --from "$from" --to "$to")")
  done
  profile report -q "$@" -o "$tmp/run.html" "$tmp/run.db"
  expect_status 0
  browse recording "$tmp/run.html" "$(total_of "$@")" "${parts[@]}"
}
mapfile -t froms < <(ask "SELECT round(min(seconds), 3) FROM sample_list WHERE process = 'leaves' GROUP BY pid UNION ALL SELECT round(max(seconds), 3) + 0.001 FROM sample_list WHERE process = 'leaves' GROUP BY pid")
expect_equal "${#froms[@]}" 4 "beginnings and ends of the bursts"
expect_parts
expect_parts --focus '^heavy$' --hide '^outer$' --merge-processes

# A burst is on the page as it was: nothing of the program is in the seconds between.
between=$(plus "${froms[2]}" 0.2)
expect_equal "$(total_of --comm leaves --from "$between" --to "$(plus "$between" 2)")" 0 "samples between the bursts"
