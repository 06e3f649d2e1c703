#!/bin/bash
# One run gives a stream and reports: both have the same samples, with the same stacks.
source "$(dirname "$0")/stream.bash"

burn leaves 600
leaves=$started
wait_until is_at_work "$leaves"
pattern='main;outer;middle;(heavy|light)'
# sums FILE [FIELDS]: the folded stacks of a file and how often each occurs. A line of a stream has its time, name and
# numbers in front.
sums_of_report() { awk '{ count = $NF; sub(/ [0-9]+$/, ""); sum[$0] += count } END { for (stack in sum) print sum[stack], stack }' "$1" | sort; }
sums_of_stream() { awk '{ name = $2; sub(/^[0-9]+ [^ ]+ [0-9]+ [0-9]+ [0-9]+ /, ""); sum[name ";" $0]++ } END { for (stack in sum) print sum[stack], stack }' "$1" | sort; }

sample_until are_many --stream=folded -F 999 -p "$leaves" -o "$tmp/samples" -o "$tmp/run.folded" -o "$tmp/run.json" 0.5
expect_silence out
read_stream folded "$tmp/samples" "$pattern"
expect_equal "$delivered" "$recorded" "samples in the stream"
expect_folded_total "$tmp/run.folded"
sums_of_report "$tmp/run.folded" >"$tmp/report"
sums_of_stream "$tmp/samples" >"$tmp/stream"
cmp -s "$tmp/report" "$tmp/stream" || fail "the stream has other stacks: $(diff "$tmp/report" "$tmp/stream" | head -n 5)"

# The stream goes to stdout by its name, and so may a report.
sample_until are_many --stream=folded -F 999 -p "$leaves" -o - -o "$tmp/run.folded" 0.3
read_stream folded "$tmp/out" "$pattern"
expect_equal "$delivered" "$recorded" "samples on stdout"
expect_folded_total "$tmp/run.folded"

# What a source measures besides is in the report, as without a stream.
start "$WORKLOADS/calls" 600
sample -e syscalls --latency --stream=json -p "$started" -o "$tmp/samples" -o "$tmp/calls.json" 0.5
python3 - "$tmp/samples" "$tmp/calls.json" <<'PYTHON' || fail "the calls do not agree"
import json, sys
samples = sum(1 for line in open(sys.argv[1]))
syscalls = json.load(open(sys.argv[2]))["ebpf"]["syscalls"]
total = syscalls["total"]
# A call has its sample when it returns, and at either end of the run some are under way.
sys.exit(0 if total > 0 and 0 <= total - samples <= 5 else f"{samples} calls in the stream, {total} in the report")
PYTHON

# Waits, whose stacks are completed when they end: in the stream they are in the order of time.
start "$WORKLOADS/frameless" naps 600
sample -e off-cpu --stream=folded -U -p "$started" -o "$tmp/samples" -o "$tmp/run.folded" 0.5
cut -d ' ' -f 1 "$tmp/samples" | sort -nc || fail "the stream is not in the order of time"
expect_present ';main;nap_here;' "$tmp/run.folded"
grep -q ';main;nap_here;' "$tmp/samples" || fail "the stream's stacks are not complete"

# A new program's first samples wait for its tables: the stream has whole stacks from the first sample on.
if walks_by_tables; then
  cp "$WORKLOADS/frameless" "$tmp/new$$"
  sample --stream=folded -U -F 999 -o "$tmp/samples" -- "$tmp/new$$" plain 0.3cpu
  whole=$(grep -cE ' (_start;)?(__libc_start[^ ]*;)?main;first;second;third;spin$' "$tmp/samples")
  expect_between "$whole" $((recorded * 8 / 10)) "$recorded" "whole stacks of $recorded"
fi

# A reader that takes nothing costs the stream its samples, and not the report.
mkfifo "$tmp/pipe"
# shellcheck disable=SC2034  # nobody reads it
exec {never}<>"$tmp/pipe"
sample -F 4999 -a --stream=stacks -o "$tmp/pipe" -o "$tmp/run.folded" 6
expect_folded_total "$tmp/run.folded"
expect_err '[0-9]+ samples? (is|are) missing in the stream'

# When nothing can be sampled, no file is left.
profile --stream -o "$tmp/never" -e uprobe:libc:no_such_function 1
((status != 0)) || fail "it sampled a function that does not exist"
[[ ! -e $tmp/never ]] || fail "the file of a stream that did not begin"
