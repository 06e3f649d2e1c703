#!/bin/bash
# When the output is a file, stderr shows the hottest functions and the files that were written.
source "$(dirname "$0")/../lib.sh"
need_command python3
cd "$tmp" || exit 1

printf 'app;main;rec;rec;rec 30\napp;main;work [libw.so] 60\napp;main 10\n' >a.folded
profile report -o a.html a.folded
expect_status 0
expect_silence out
expect_err '^Top 3 functions, in samples$'
expect_err '^ *60 +60\.0% +60 +60\.0%  work +libw\.so$'
expect_err '^ *30 +30\.0% +30 +30\.0%  rec$'
expect_err '^ *10 +10\.0% +100 +100\.0%  main$'
expect_err '^wrote a\.html \([0-9]+ kB\), open it in a browser$'
expect_equal "$(tail -n 1 err)" "$(grep '^wrote a' err)" "the last line"

# Each file is listed with its true name and size; -q prints nothing.
profile report -o 'a-%Y.pb.gz' -o a.txt -o /dev/null --format folded a.folded
expect_err "^wrote a-$(date +%Y)\\.pb\\.gz$"
expect_err "^wrote a\\.txt \\($(stat -c %s a.txt) bytes\\)$"
expect_err '^wrote /dev/null$'
profile report -q -o a.html a.folded
expect_silence err
profile report --top 1 -o a.html a.folded
expect_err '^Top 1 function of 3, in samples$'
expect_equal "$(grep -c '^ .*%' err)" 1 "rows with --top 1"
expect_err '^hottest path, 60.0% in app: main > work$'
profile diff -o d.svg a.folded a.folded
expect_err '^wrote d\.svg \([0-9.]+ kB\), open it in a browser$'
profile diff -q -o d.svg a.folded a.folded
expect_silence err

# stdout to a pipe or a file gets only the report. On a terminal the functions are shown, too.
profile report -f a.folded
expect_silence err
for shown in "Top 3 functions, in samples" "app;main;rec;rec;rec 30"; do
  run python3 "$SOURCE_DIR/tests/tools/terminal.py" "$PROFILE" report -f a.folded
  expect_status 0
  grep -qF "$shown" out || fail "not on the terminal: $shown; $(outcome)"
done
run python3 "$SOURCE_DIR/tests/tools/terminal.py" "$PROFILE" report --format table a.folded
expect_equal "$(grep -c '^Top 3 functions' out)" 1 "tables of functions"
run python3 "$SOURCE_DIR/tests/tools/terminal.py" "$PROFILE" report -q -f a.folded
expect_no_out '^Top'

# A file that could not be written is not listed.
profile report -o none/a.html a.folded
expect_status 1
expect_no_err '^wrote'
if [[ -c /dev/full ]]; then
  profile report -o /dev/full --format folded a.folded
  expect_status 1
  expect_no_err '^wrote'
fi

# After a run the summary comes first, and the unit is the event's. With intervals there is no table.
need_kernel
start "$WORKLOADS/leaves" 600
has_heavy() { has_samples "$tmp/r.folded" ';heavy '; }
profile_until has_heavy -F 999 -p "$started" -o r.folded
expect_silence out
expect_err '^[0-9]+ samples in '
expect_err '^Top [0-9]+ functions.*, in samples$'
expect_err ' heavy +leaves$'
expect_equal "$(tail -n 1 err | cut -c 1-15)" 'wrote r.folded ' "the last line"
profile -F 999 -p "$started" -i 0.2 -o i.folded 0.5
expect_no_err '^Top'
expect_err '^wrote i\.folded'
profile -q -F 999 -p "$started" -o r.folded 0.1
expect_silence err
