#!/bin/bash
# `profile diff` of recordings tells a sure change from chance, and guards speed with --fail-above. The times of two
# recordings are stretched, because an interval needs eight blocks of a second.
source "$(dirname "$0")/sampling.bash"
need_command sqlite3
cd "$tmp" || exit 1

# stretch FILE : makes each moment twenty times as late. A key is a microsecond and, in its last byte, a number.
stretch() {
  sqlite3 "$1" 'UPDATE samples SET id = -(id / 256 * 20 * 256 + id % 256); UPDATE samples SET id = -id; UPDATE runs SET duration_us = duration_us * 20' ||
    fail "the times of $1"
}
"$PROFILE" record -q -F 997 -o run.db -- bash -c '"$0" 0.6cpu; exec "$1" 0.6cpu' "$WORKLOADS/leaves" "$WORKLOADS/depth" || fail "record"
cp run.db short.db
stretch run.db
middle=$(sqlite3 run.db "SELECT (SELECT max(seconds) FROM sample_list WHERE process = 'leaves') / 2 + (SELECT min(seconds) FROM sample_list WHERE process = 'depth') / 2")

# Two parts of one recording, with other functions in each.
profile diff --a ":$middle" --b "$middle:" run.db
expect_status 0
expect_silence err
expect_out "^run\\.db $middle: \\([0-9]+ samples\\) compared with run\\.db :$middle "
expect_out '^± is half of the 95 % interval, from blocks of 1 s'
expect_out '^Top .* that surely lost$'
sed -n '/ that surely lost$/,/^$/p' out | grep -q ' heavy$' || fail "heavy is not surely lost: $(cat out)"
grep -E '^ *SELF BEFORE +AFTER +CHANGE +± +TOTAL BEFORE' out >/dev/null || fail "no headings: $(cat out)"
cp out first
profile diff --a ":$middle" --b "$middle:" run.db
cmp -s first out || fail "not the same twice"
profile diff --fail-above 2% --a ":$middle" --b "$middle:" run.db
expect_status 3
expect_err '^profile: .* has grown by [0-9.]+ ± [0-9.]+ points.*, surely more than 2%$'
profile diff -q --fail-above 99.9% --a ":$middle" --b "$middle:" run.db
expect_status 0
expect_silence err
# By the clock of the machine, and each part of a file of its own.
clock=$(date -d "@$(sqlite3 run.db "SELECT began_unix_ns / 1e9 + $middle FROM runs")" +%H:%M:%S.%N)
profile diff --a "..$clock" --b "$clock.." run.db
expect_status 0
grep -q ' heavy$' out || fail "no heavy by the clock: $(cat out)"
profile diff --b "$middle:" run.db run.db
expect_status 0
expect_out '^run\.db .* compared with run\.db \([0-9]+ samples\), '

# A recording and itself: nothing is sure.
profile diff --fail-above 0 run.db run.db
expect_status 0
expect_out '^No function surely gained\.$'
expect_out '^No function surely lost\.$'
# Pictures: a box without a sure change is grey, and says so.
profile diff -q -o same.svg run.db run.db
expect_status 0
grep -q 'the change may be chance' same.svg || fail "the legend lacks chance"
grep -q ' ± [0-9.]*, which may be chance, from ' same.svg || fail "no tooltip says chance"
profile diff -q -o parts.svg -o parts.html --a ":$middle" --b "$middle:" run.db
expect_status 0
[[ -s parts.html ]] || fail "no page"

# Too short, or without times: said, and no guard.
profile diff short.db run.db
expect_status 0
expect_out '^No intervals: one of the two has [0-9] blocks? of 1 s with samples, and an interval needs 8: record for longer$'
profile diff --fail-above 2% short.db run.db
expect_status 1
expect_err '^profile: --fail-above: one of the two has [0-9] blocks? of 1 s'
profile report -q -o run.pb.gz run.db
profile diff run.pb.gz run.db
expect_status 0
expect_out '^No intervals: run\.pb\.gz does not tell when each sample was taken, as recordings \(profile record\) do$'
profile diff --fail-above 2% run.db run.pb.gz
expect_status 1
expect_silence out
expect_err '^profile: --fail-above: run\.pb\.gz does not tell when'
