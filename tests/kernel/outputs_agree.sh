#!/bin/bash
# Several outputs of one run show the same samples: folded total = counted total = recorded, and shares add up to 100.
source "$(dirname "$0")/sampling.bash"

burn leaves 600
leaves=$started
burn reader 600
reader=$started
wait_until is_at_work "$leaves"
wait_until is_at_work "$reader"
begin -F 999 -p "$leaves,$reader" -o - -o "$tmp/a.folded" -o "$tmp/a.residency" -o "$tmp/a.txt"
wait_until has_begun
let_work "$leaves" 20
let_work "$reader" 20
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/a.folded"
expect_equal "$(counted_total)" "$recorded" "total on stdout"
expect_equal "$(counted_total "$tmp/a.txt")" "$recorded" "total of the .txt file"
expect_present '^leaves;.*main;outer;middle;heavy' "$tmp/a.folded"
expect_present '^reader;.*vfs_read' "$tmp/a.folded"

grep -q '^Residency Stack trace' "$tmp/a.residency" || fail "no heading: $(cat "$tmp/a.residency")"
grep -Eq '^ *[0-9.]+%     .*;?heavy;middle;outer;main;.*;$' "$tmp/a.residency" || fail "$(cat "$tmp/a.residency")"
# The shares of each process add up to 100, within the rounding of its rows.
awk -v tolerance=1 '
  function check() { if (rows && (sum < 100 - rows * 0.05 - tolerance || sum > 100 + rows * 0.05 + tolerance)) exit 1 }
  /^[^ 0-9].*\([0-9]+\)/ { check(); groups++; sum = rows = 0 }
  /^ *[0-9.]+%/ { sum += $1; rows++ }
  END { check(); exit groups != 2 }' "$tmp/a.residency" || fail "shares: $(cut -c1-120 "$tmp/a.residency")"

# --format overrides file names, for every output.
for seconds in 0.3 5 30; do
  sample --format folded -F 499 -p "$leaves" -o "$tmp/b.txt" $seconds
  if ((recorded > 0)); then break; fi
done
expect_folded_total "$tmp/b.txt"
expect_present 'main;outer;middle;heavy' "$tmp/b.txt"
expect_silence out

# Processes of one name are one, without a pid, on request.
burn leaves 600
wait_until is_at_work "$started"
for seconds in 0.3 5 30; do
  sample --merge-processes -F 499 -p "$leaves,$started" -o "$tmp/m.txt" -o "$tmp/m.json" $seconds
  if ((recorded > 0)); then break; fi
done
expect_equal "$(counted_total "$tmp/m.txt")" "$recorded" "total of merged processes"
grep -q '^    - *leaves$' "$tmp/m.txt" || fail "no process by its name: $(cat "$tmp/m.txt")"
if grep -E '^    - .*\([0-9]+\)$' "$tmp/m.txt"; then fail "a process has its pid"; fi
# The frames keep the processes of their addresses, and the rows are of one.
expect_equal "$(python3 -c '
import json, sys
profile = json.load(sys.stdin)["ebpf"]["profile"]
of_rows = {row["process"] for row in profile["rows"]}
print([(profile["processes"][i]["pid"], profile["processes"][i]["name"]) for i in of_rows])' <"$tmp/m.json")" \
  "[(0, 'leaves')]" "processes of two with one name"
