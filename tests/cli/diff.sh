#!/bin/bash
# `profile diff` shows what gained and what lost between two profiles with a known difference.
source "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# The second profile is twice as long; `slow` took more than half of the share of `fast`; `rec` calls itself.
printf 'app;main;fast 50\napp;main;slow 40\napp;main;rec;rec 10\n' >before.folded
printf 'app;main;fast 50\napp;main;slow 130\napp;main;rec;rec;rec 20\n' >after.folded

# row PATTERN : prints the line of the function, with single blanks.
row() { sed -E 's/^ +//; s/ +/ /g' "$tmp/out" | grep -E -- "$1"; }
profile diff before.folded after.folded
expect_status 0
expect_silence err
expect_out '^after\.folded \(200 samples\) compared with before\.folded \(100 samples\)'
expect_equal "$(row ' slow$')" '40.00% 65.00% +25.00 40.00% 65.00% +25.00 slow' "what gained"
expect_equal "$(row ' fast$')" '50.00% 25.00% -25.00 50.00% 25.00% -25.00 fast' "what lost"
expect_no_out ' (rec|main)$'
expect_out '^No intervals: before\.folded and after\.folded do not tell when each sample was taken'

# Another format; the reverse order; a profile with itself; an empty profile.
profile report -o before.pb.gz before.folded
profile diff before.pb.gz after.folded
expect_equal "$(row ' slow$')" '40.00% 65.00% +25.00 40.00% 65.00% +25.00 slow' "what gained since a pprof profile"
profile diff after.folded before.folded
expect_equal "$(row ' slow$')" '65.00% 40.00% -25.00 65.00% 40.00% -25.00 slow' "what lost"
profile diff after.folded after.folded
expect_out '^No function gained\.$'
expect_out '^No function lost\.$'
: >empty.folded
profile diff empty.folded after.folded
expect_status 0
expect_out '^There is nothing in empty\.folded'
expect_equal "$(row ' slow$')" '0.00% 65.00% +65.00 0.00% 65.00% +65.00 slow' "what gained since nothing"
profile diff empty.folded empty.folded
expect_status 0
expect_no_out nan
profile diff --top 1 before.folded empty.folded
expect_equal "$(grep -c '%' "$tmp/out")" 1 "rows with --top 1"
run bash -c '"$1" diff - after.folded <before.folded' - "$PROFILE"
expect_status 0
expect_equal "$(row ' slow$')" '40.00% 65.00% +25.00 40.00% 65.00% +25.00 slow' "what gained since stdin"

# Both are edited by the same rules, and each is compared as the share of its own focus.
profile diff --focus 'rec|fast' before.folded after.folded
expect_status 0
expect_out '^35\.0% of after\.folded \(70 samples\) compared with 60\.0% of before\.folded \(60 samples\)'
expect_err '^profile: in focus: 60 of 100 samples of before\.folded, 60\.0%$'
expect_equal "$(row ' fast$')" '83.33% 71.43% -11.90 83.33% 71.43% -11.90 fast' "what lost in focus"
profile diff -q --hide '^(fast|slow)$' --merge-processes before.folded after.folded
expect_out '^No function gained\.$'
profile diff -q --collapse '^(main|fast|slow|rec)$' before.folded after.folded
expect_out '^No function gained\.$'

# Only a terminal gets colours.
if command -v python3 >"$tmp/which"; then
  printf 'app;main;fast 500\napp;main;slow 401\napp;main;rec;rec 99\n' >little.folded
  run python3 "$SOURCE_DIR/tests/tools/terminal.py" "$PROFILE" diff before.folded little.folded
  expect_status 0
  grep -q $'\x1b\\[90m.* slow' out || fail "no grey row on a terminal: $(cat -v out)"
  run env NO_COLOR=1 python3 "$SOURCE_DIR/tests/tools/terminal.py" "$PROFILE" diff before.folded little.folded
  ! grep -q $'\x1b' out || fail "colours against NO_COLOR"
  profile diff before.folded little.folded
  ! grep -q $'\x1b' out || fail "colours in a pipe"
fi

# Pictures, and the table as a file.
for file in out.html out.svg out.png out.txt out.table; do
  profile diff -o "$file" before.folded after.folded
  expect_status 0
  expect_silence out
  [[ -s $file ]] || fail "nothing in $file"
done
grep -q ' slow$' out.txt || fail "no table in out.txt"
cmp -s out.txt out.table || fail "out.txt and out.table differ"
for file in out.html out.svg; do
  profile diff -o "empty-$file" empty.folded empty.folded
  expect_status 0
done

# A file name is a pattern, as for other outputs. One that cannot be written does not stop the next.
profile diff -q -o absent/a.svg -o 'a%%b-%Y.svg' before.folded after.folded
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err '^profile: cannot write absent/a\.svg: '
[[ -s a%b-$(date +%Y).svg ]] || fail "no picture: $(ls)"

# bad STATUS PATTERN ARGUMENT... : one line names the error, and stdout is empty.
bad() {
  profile diff "${@:3}"
  expect_status "$1"
  expect_silence out
  expect_err "^profile: .*$2"
}
bad 2 'two files' before.folded
bad 2 'two files' before.folded after.folded after.folded
bad 2 'given twice' - -
bad 2 '-F is not for this command' -F 1 before.folded after.folded
bad 2 'folded cannot show a comparison' -o diff.folded before.folded after.folded
bad 2 '--format json' --format json before.folded after.folded
bad 1 '--fail-above: before\.folded and after\.folded do not tell when' --fail-above 2% before.folded after.folded
bad 1 'cannot read none: No such file' --fail-above 2% before.folded none
bad 1 'cannot read none: No such file' before.folded none
profile diff --help
expect_status 0
expect_out '^usage: profile diff \[options\] BEFORE AFTER$'

# The picture and the table compare the same functions. A line that moved, a file or module that only one side knows,
# and marks of kinds are no difference.
unchanged() {
  profile diff "$@"
  expect_out '^No function gained\.$'
  expect_out '^No function lost\.$'
  profile diff -q -o same.svg "$@"
  expect_status 0
  if grep -q 'gone, and without a box' same.svg; then fail "diff $*: $(grep -o 'gone, .*before' same.svg)"; fi
  expect_equal "$(grep -c ' points, from ' same.svg)" "$(grep -c '+0\.00 points, from ' same.svg)" "boxes as they were, diff $*"
}
cat >lines.folded <<'FOLDED'
worker-a;main main.cpp:42;work [libwork.so] work.cpp:7;tiny_[i] 30
worker-b;main main.cpp:42;work [libwork.so] work.cpp:9;read_[k] 70
FOLDED
cat >moved.folded <<'FOLDED'
worker-a;main main.cpp:43;work;tiny 30
worker-b;main main.cpp:43;work;read 70
FOLDED
profile report -q -o lines.pb.gz lines.folded
for file in lines.folded lines.pb.gz moved.folded; do unchanged lines.folded "$file"; unchanged "$file" lines.pb.gz; done
profile diff --modules lines.folded moved.folded
expect_equal "$(row ' work$')" '0.00% 0.00% 0.00 0.00% 100.00% +100.00 work' "what is in another module"
profile diff --modules -q -o modules.svg lines.folded moved.folded
grep -q 'gone, and without a box' modules.svg || fail "the picture of --modules does not tell modules apart"
# A box shows what at least one side knows; of line numbers, only what both sides have.
profile diff -q -o moved.svg lines.pb.gz moved.folded
grep -qx 'libwork\.so work\.cpp' moved.svg || fail "no place of work: $(grep -A 3 '<title>work' moved.svg)"
grep -qx 'main\.cpp' moved.svg || fail "no place of main: $(grep -A 3 '<title>main' moved.svg)"

# A file of lines with two counts, as difffolded.pl and the page write them, is both.
printf 'app;main;fast 50 50\napp;main;slow 40 130\napp;main;rec;rec 10 20\n' >two.folded
profile diff two.folded
expect_status 0
expect_silence err
expect_out '^two\.folded, second counts \(200 samples\) compared with two\.folded, first counts \(100 samples\)'
expect_equal "$(row ' slow$')" '40.00% 65.00% +25.00 40.00% 65.00% +25.00 slow' "what gained in a comparison"
expect_out '^No intervals: two\.folded does not tell when'
run bash -c '"$1" diff - <two.folded' - "$PROFILE"
expect_status 0
expect_out '^stdin, second counts'
profile diff before.folded two.folded
expect_equal "$(row ' slow$')" '40.00% 65.00% +25.00 40.00% 65.00% +25.00 slow' "what gained in the second counts"
expect_err '^profile: two\.folded is a comparison, two counts a line; these are the second ones, and profile diff two\.folded '
profile report -f two.folded
expect_status 0
expect_equal "$(folded_total)" 200 "the second counts"
expect_err '^profile: two\.folded is a comparison'
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
bad 2 'before\.folded alone is no comparison' before.folded
bad 1 'cannot read none: No such file' none
