#!/bin/bash
# Flame graphs as pictures are well-formed whatever the names are, and have the totals of the folded lines. Golden files
# and a real run are checked.
source "$(dirname "$0")/../lib.sh"
need_command python3

check() { run python3 "$SOURCE_DIR/tests/tools/validate_picture.py" "$@"; }
# drawn FILE TOTAL : the svg is valid and has this total.
drawn() {
  check "$1"
  expect_status 0
  expect_equal "$(<"$tmp/out")" "$2" "total of $1"
}
for golden in default:92 changes:92 lines:17 wall:4700000 empty:0; do
  drawn "$SOURCE_DIR/tests/unit/golden/${golden%:*}.svg" "${golden#*:}"
done

# rejected EXPRESSION WHAT : sed's EXPRESSION breaks a good file, and the validator says so.
rejected() {
  sed "$1" "$SOURCE_DIR/tests/unit/golden/default.svg" >"$tmp/bad.svg"
  check "$tmp/bad.svg"
  expect_status 1
  expect_err "$2"
}
rejected 's/&lt;script/<script/' 'well-formed'
rejected 's/&amp; x/\& x/' 'well-formed'
rejected 's/<rect /<rect onclick="x" /' 'onclick'
rejected 's/>main</><script>x<\/script><</' 'well-formed|script'
rejected 's/width="499.72"/width="1499.72"/' 'outside'
rejected 's/width="499.72"/width="520"/' 'over'
rejected 's/<\/svg>/<script>x<\/script><\/svg>/' 'not ours'
rejected 's/^92 of 92/91 of 92/' 'no box for all'

# Names that try to break XML, and a name as long as C++ names can be.
{
  printf '%s;%s;%s 7\n' '<a href="x">' "]]></text><script>alert('1')</script>" '&amp;&#0;&nbsp;<!--'
  printf 'p;a\xef\xbf\xbfb\xef\xbf\xbec\x01d\xff;%s 5\n' "$(printf 'wrap<%.0s' {1..800})"
  printf 'p 3\n'
} >"$tmp/hostile.folded"
profile report -q -o "$tmp/hostile.svg" -o "$tmp/hostile.png" "$tmp/hostile.folded"
expect_status 0
drawn "$tmp/hostile.svg" 15
grep -q '<title>\]\]&gt;&lt;/text&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;$' "$tmp/hostile.svg" ||
  fail "the name is not in the picture as it is: $(head -c 3000 "$tmp/hostile.svg")"
check "$tmp/hostile.png"
expect_status 0
expect_out '^1200 800$'
profile diff -q -o "$tmp/change.svg" "$tmp/hostile.folded" "$tmp/hostile.folded"
expect_status 0
drawn "$tmp/change.svg" 15
: >"$tmp/empty.folded"
profile report -q -o "$tmp/empty.svg" "$tmp/empty.folded"
expect_status 0
drawn "$tmp/empty.svg" 0

need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/a.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o "$tmp/a.svg" -o "$tmp/a.png" -o "$tmp/a.folded"
drawn "$tmp/a.svg" "$(folded_total . "$tmp/a.folded")"
grep -q '>heavy<' "$tmp/a.svg" || fail "$(head -c 2000 "$tmp/a.svg")"
check "$tmp/a.png"
expect_status 0
