#!/bin/bash
# -e wall: what a single-threaded program spent on a CPU and off is the time it ran, no less and no more, each kind where it belongs.
source "$(dirname "$0")/sampling.bash"
need_event wall

sample -e wall -F 199 -o "$tmp/a.folded" -o "$tmp/a.txt" -o "$tmp/a.pb.gz" -- "$WORKLOADS/mixed" 3
read -r elapsed on_cpu <"$tmp/out"
# What it waits for a CPU before and after its main() it does not count itself.
expect_between "$(folded_total '^mixed;' "$tmp/a.folded")" "$elapsed" "$(length_us "$tmp/a.pb.gz")" "microseconds"
expect_equal "$(counted_total "$tmp/a.txt")" "$(folded_total . "$tmp/a.folded")" "total of the counted rows"
expect_present ';main;.*;hrtimer_nanosleep;.*;\[off-cpu\] ' "$tmp/a.folded"
expect_present '^mixed;.*;compute( |;[^\[]*$)' "$tmp/a.folded"
echo "$elapsed us, of which $on_cpu on a CPU; $(folded_total '^mixed;.*;\[off-cpu\] ' "$tmp/a.folded") off"

# A thread that never rests.
burn leaves 600
wait_until is_at_work "$started"
wanted=(';main;outer;middle;(heavy|light)( |;)')
sample_until is_seen -e wall -f -p "$started" -o - -o "$tmp/a.pb.gz" 1
expect_between "$(folded_total "^leaves;")" 1 "$(length_us "$tmp/a.pb.gz")" "microseconds of a thread that computes"
