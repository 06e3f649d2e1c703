#!/bin/bash
# `report --source` shows each line of a function with its share and its code below, also where the function is inlined.
# A recording needs no --lines for that: its files tell the lines later.
source "$(dirname "$0")/compiling.bash"

# The comments give the line numbers. A unit of work takes the same time wherever it is.
cat >"$tmp/program.c" <<'C'
#include "workload.h"
static inline __attribute__((always_inline)) void inlined(unsigned long unit) {
  WORK(2 * unit); /* line 3 */
  WORK(unit);     /* line 4 */
}
void holder(unsigned long unit) {
  inlined(unit); /* line 7 */
  WORK(unit);    /* line 8 */
}
int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) holder(next_unit()); /* line 12 */
}
C
build "$tmp/program" "$tmp/program.c" -Wl,--build-id
start "$tmp/program" 600
sample_work "$started" 70 -F 999 -U -o "$tmp/a.pb.gz" -o "$tmp/a.json"
kill "$started"

# total_of PATTERN : the sum of the column TOTAL of the lines that match.
total_of() { awk -v pattern="$1" '$0 ~ pattern { sum += $2 } END { print sum + 0 }' "$tmp/out"; }
# expect_part PATTERN PERCENT WHOLE : as expect_near, of the totals in a listing.
expect_part() {
  local off share
  off=$(awk -v all="$3" -v percent="$2" 'BEGIN { print 0.8 + 6.2 * sqrt(percent * (100 - percent) / all) }')
  share=$(awk -v part="$(total_of "$1")" -v all="$3" 'BEGIN { print 100 * part / all }')
  expect_between "$share" "$(awk -v a="$2" -v b="$off" 'BEGIN { print a - b }')" \
    "$(awk -v a="$2" -v b="$off" 'BEGIN { print a + b }')" "per cent of the samples with '$1'"
}

for file in a.pb.gz a.json; do
  profile report "$tmp/$file" --source inlined
  expect_status 0
  whole=$(sed -En 's/^inlined \[program\]: ([0-9]+) of .*/\1/p' "$tmp/out")
  ((whole > 60)) || fail "too few samples; $(outcome)"
  expect_part '% .*/\* line 3 \*/$' 66.7 "$whole"
  expect_part '% .*/\* line 4 \*/$' 33.3 "$whole"
  expect_equal "$(total_of '% .*/\* line [34] \*/$')" "$whole" "samples of its lines"
  expect_out 'Code in .*/program, inlined in holder$'
  expect_equal "$(total_of '% .* [0-9a-f]+  [a-z]')" "$whole" "samples of its instructions"

  # The function that holds it has all of its samples, and lines of its own.
  profile report "$tmp/$file" --source holder
  expect_status 0
  expect_part '% .*/\* line 7 \*/$' 75 "$(sed -En 's/^holder \[program\]: ([0-9]+) of .*/\1/p' "$tmp/out")"
  expect_part '% .*/\* line 8 \*/$' 25 "$(sed -En 's/^holder \[program\]: ([0-9]+) of .*/\1/p' "$tmp/out")"
  expect_out 'ret'

  # Of a caller, the line of the call costs what the callee costs. A sample of
  # the caller itself, now and then, fills the column between.
  profile report "$tmp/$file" --source main
  expect_out '^ *[0-9.]+% +[0-9]+( +[0-9]+)? +12 .*/\* line 12 \*/$'
  expect_out '^ *[0-9.]+% +[0-9]+( +[0-9]+)? +12 .* (callq?|bl) .* <holder>$'
done

# A run puts them into its page, and needs no --lines for that.
start "$tmp/program" 600
begin -F 999 -U --sources -o "$tmp/a.html" -o "$tmp/sampled.folded" -o - -p "$started"
wait_until has_begun
let_work "$started" 30
kill -INT "$profiler"
finish
kill "$started"
expect_status 0
expect_err 'the page holds source and code of [3-9] functions: lines of [12] source files?'
grep -Eq '"name":"inlined","module":"program".*\[3,[0-9]+,[0-9]+,"  WORK\(2 \* unit\); /\* line 3 \*/"\]' "$tmp/a.html" ||
  fail "no line 3 in the page"
grep -q ';holder;inlined ' "$tmp/sampled.folded" || fail "the lines of a function are frames of their own: $(head -3 "$tmp/sampled.folded")"

# Another build of the program is not taken for the one that ran.
sed -i 's/2 \* unit/3 * unit/' "$tmp/program.c"
build "$tmp/program" "$tmp/program.c" -Wl,--build-id
profile report "$tmp/a.pb.gz" --source holder
expect_status 0
expect_out 'not shown: it is another build than the one that ran'
expect_no_out 'line 7'
