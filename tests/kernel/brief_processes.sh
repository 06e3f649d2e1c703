#!/bin/bash
# Processes that have lived for 20 ms and are gone when their frames get names: every one has its own.
source "$(dirname "$0")/sampling.bash"
need_command seq xargs

# expect_named FILE : all that `leaves` did in its user stacks below main is named. Its loading and its end are others' code.
expect_named() {
  expect_present '^leaves;.*;main;outer;middle;heavy ' "$1"
  expect_present '^leaves;.*;main;outer;middle;light ' "$1"
  # Everything but the linker's common stub, which is nobody's function and stands before .text, at 0x10a0 here.
  expect_absent '^leaves;.*\[leaves\+0x1(0[a-f]|[12])' "$1"
  expect_no_err 'file gone|file changed|process gone'
}
# The share of the samples of `leaves`, in per cent, that are in its leaves.
share_in_leaves() {
  awk -v part="$(folded_total '^leaves;(.*;)?main;outer;middle;(heavy|light)(;| )' "$1")" \
    -v all="$(folded_total '^leaves;' "$1")" 'BEGIN { print all ? 100 * part / all : 0 }'
}

begin_counted -F 499 -o - -o "$tmp/out.folded"
seq 1000 | xargs -P 4 -I{} "$WORKLOADS/leaves" 0.02
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/out.folded"
expect_named "$tmp/out.folded"
# 20 ms each, four at a time on at least one CPU, at 499 Hertz.
expect_between "$(folded_total '^leaves;' "$tmp/out.folded")" 1000 20000 "samples of the 1,000"
expect_between "$(share_in_leaves "$tmp/out.folded")" 80 100 "per cent of their samples in their leaves"
# A row a process: at least half of the 1,000 were hit, and each has the names.
expect_between "$(grep -oE '^    -                leaves \([0-9]+\)$' "$tmp/out" | sort -u | wc -l)" 500 1000 "processes seen"

sample_folded -F 1999 -- bash -c 'for ((i = 0; i < 100; i++)); do "$0" 0.02; done' "$WORKLOADS/leaves"
expect_named "$tmp/out"
expect_between "$(share_in_leaves "$tmp/out")" 80 100 "per cent of the samples of leaves in its leaves"
sample_folded -F 1999 -- "$WORKLOADS/leaves" 0.02
expect_named "$tmp/out"
