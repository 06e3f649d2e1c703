#!/bin/bash
# --stream prints every recorded sample by itself, in forms that can be parsed.
source "$(dirname "$0")/stream.bash"

burn leaves 600
leaves=$started
wait_until is_at_work "$leaves"
for form in table stacks folded json; do
  pattern='main;outer;middle;(heavy|light)'
  if [[ $form == table ]]; then pattern='^leaves$'; fi
  before_ns=$(date +%s%N)
  sample_until are_many --stream=$form -F 999 -p "$leaves" 0.5
  read_stream $form "$tmp/out" "$pattern"
  expect_equal "$delivered" "$recorded" "samples of --stream=$form"
  # One thread gives at most 999 samples per second between the first and the last, however long the stop takes.
  expect_between "$delivered" 1 $(((last_ns - first_ns) * 1100 / 1000000000 + 2)) "samples of --stream=$form"
  expect_between "$first_ns" "$before_ns" "$last_ns" "time of the first sample of --stream=$form"
  expect_between "$last_ns" "$first_ns" "$(date +%s%N)" "time of the last sample of --stream=$form"
done

# The table is the default form, and a file gets the same as stdout.
echo 'what stood there before' >"$tmp/file"
sample_until are_many --stream -F 999 -p "$leaves" -o "$tmp/file" 0.3
expect_silence out
read_stream table "$tmp/file" '^leaves$'
expect_equal "$delivered" "$recorded" "samples in the file"

# A command with processes that exit; then user stacks only.
sample --stream=folded -F 499 -- sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done; exec "$0" 1cpu' "$WORKLOADS/leaves"
read_stream folded "$tmp/out" 'main;outer;middle;(heavy|light)' 50
expect_equal "$delivered" "$recorded" "samples of a command"
sample_until are_many --stream=stacks -U -F 999 -p "$leaves" 0.3
expect_no_out '^Kernel:'
read_stream stacks "$tmp/out" 'main;outer;middle;(heavy|light)'

# Incomplete stacks are marked in each form that shows stacks, and the end of the run counts them by reason.
walked=()
if walks_by_tables; then walked=(stacks folded json); fi
for form in "${walked[@]}"; do
  sample_until are_many --stream="$form" -a --max-stack-depth 2 -F 999 -p "$leaves" 0.5
  case $form in
    stacks) pattern='^\[incomplete: too deep\]$' ;;
    folded) pattern=' \[incomplete: too deep\];' ;;
    json) pattern='"user_end":"too_deep"' ;;
  esac
  too_deep=$(sed -nE 's/.*user stacks are incomplete: ([0-9]+) deeper than is taken.*/\1/p' "$tmp/err")
  expect_between "${too_deep:-0}" 1 "$recorded" "stacks that are too deep; $(outcome)"
  expect_equal "$(grep -cE "$pattern" "$tmp/out")" "$too_deep" "stacks that say so in --stream=$form"
done

# An unknown form.
profile --stream=csv 1
expect_status 2
expect_err '^profile: .*csv'
for form in table stacks folded json perf-script; do expect_err "$form"; done

# A full disk gives one line and exit status 1.
run sh -c 'exec "$0" "$@" >/dev/full' "$PROFILE" -q --stream -F 499 -p "$leaves" 60
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
expect_err '^profile: .*stdout.*No space left on device'
