#!/bin/bash
# Every event counts correctly: page faults one by one, one sample for many, and at a rate. Context switches match the
# kernel's own count.
source "$(dirname "$0")/sampling.bash"
report=$tmp/report.folded

# One by one, without loss.
sample -e page-faults -c 1 -o "$report" -- "$WORKLOADS/faults" 20000 1 0 600
expect_folded_total "$report"
expect_equal "$(folded_total ';main;touch_pages ' "$report")" 20000 "page faults of touch_pages"

# The same without a command: the process loads another program first. The header says what is counted.
mkfifo "$tmp/go"
# shellcheck disable=SC2016
start bash -c 'read -r _ <"$1"; exec "${@:2}"' waits "$tmp/go" "$WORKLOADS/faults" 20000 1 0 600
begin -e faults -c 1 -p "$started"
wait_until grep -q '^Sampling page-faults every event of PID \['"$started"'\] by user + kernel stack' "$tmp/out"
pause 0.1
echo >"$tmp/go"
finish
expect_status 0
expect_balance
expect_equal "$(counted_total)" "$recorded" "total of the report"
# With frame pointers all of them have one stack. Before and after the tables come, they have two.
expect_equal "$(awk '/^    touch_pages\+/ { mine = 1 } /^        [0-9]+$/ { if (mine) sum += $1; mine = 0 } END { print sum }' "$tmp/out")" \
  20000 "page faults of touch_pages in the report"

# One sample for every hundred faults, with a weight of 100. Each CPU may leave out fewer than a hundred.
sample -e page-faults -c 100 -o "$report" -- taskset -c 0 "$WORKLOADS/faults" 20000 5 0 600
expect_equal "$(folded_total . "$report")" $((100 * recorded)) "total of samples of weight 100"
expect_between "$(folded_total ';touch_pages ' "$report")" 97000 103000 "page faults by hundreds"

# At a rate the total is still correct, in a steady stream and in bursts. Events that come too soon for another sample
# are in no stack, but they are reported; together they are all faults, with a few from before main.
in_no_stack() { sed -n 's/^\([0-9]*\) [a-z]*-faults after the last sample of their CPU are in no stack$/\1/p' "$tmp/err"; }
# faulted FAULTS WHAT : touch_pages had so many faults, with few samples.
faulted() {
  expect_between $(($(folded_total . "$report") + $(in_no_stack) + 0)) "$1" $(($1 + 2000)) "$2"
  expect_between "$(folded_total ';touch_pages ' "$report")" $(($1 / 2)) "$1" "$2 in stacks of touch_pages"
  expect_between "$recorded" 1 $(($1 / 2)) "samples of $2"
}
sample -e page-faults -F 199 -o "$report" -- "$WORKLOADS/faults" 20000 25 0 600
faulted 500000 "page faults of a stream"
sample -e minor-faults -o "$report" -- "$WORKLOADS/faults" 2000 50 20 600
faulted 100000 "page faults in bursts"
sample -e page-faults -F 1 -o "$report" -- taskset -c 0 "$WORKLOADS/faults" 20000 1 0 600
(($(in_no_stack) > 0)) || fail "no word of the page faults after the last sample; $(outcome)"
expect_between $(($(in_no_stack) + $(folded_total . "$report"))) 20000 22000 "page faults in stacks and in none"
sample -e page-faults -c 1 -o "$report" -- "$WORKLOADS/faults" 10 1 0 600
expect_no_err 'in no stack'
profile -e page-faults 0.1
expect_out '^Sampling page-faults at 49 Hertz of all threads '

# The last switch of each process comes after it read its count, and some before main come before it was followed. Uses
# frame pointers, because the table of libc may come too late in so short a run.
sample -e cs -c 1 --unwind fp -o "$report" -- taskset -c 0 "$WORKLOADS/ping_pong" 5000 600
read -r counted before <"$tmp/out"
((counted >= 10000)) || fail "only $counted context switches by the kernel's count"
expect_between "$(folded_total '^ping_pong;' "$report")" $((counted - 2)) $((counted + before + 10)) "context switches"
# With frame pointers the kernel's unwinder at times begins in itself and stops there (6.18, one run in 250).
expect_present '^ping_pong;.*;main;read;(.*;schedule|\[Missed Kernel Stack\]) ' "$report"
expect_absent ';__unwind_start ' "$report"
