#!/bin/bash
# -e wall: the time of a single-threaded program, on a CPU and off, is the time it ran, with each kind in the right
# place.
source "$(dirname "$0")/sampling.bash"
need_event wall

began_us=${EPOCHREALTIME/./}
sample -e wall -F 199 -o "$tmp/a.folded" -o "$tmp/a.txt" -- "$WORKLOADS/mixed" 3
whole_us=$((${EPOCHREALTIME/./} - began_us))
read -r elapsed on_cpu <"$tmp/out"
# The process also has a start and an end outside main(). The profiler prints CPU time between ticks to a millisecond.
between_us=$(($(told_us '' 'on a CPU fell between the ticks') + 1000))
# Switches that the kernel did not report are at most 5 per cent.
expect_between "$(folded_total '^mixed;' "$tmp/a.folded")" $((elapsed * 19 / 20 - between_us)) "$whole_us" "microseconds"
expect_equal "$(counted_total "$tmp/a.txt")" "$(folded_total . "$tmp/a.folded")" "total of the counted rows"
expect_present ';main;.*;hrtimer_nanosleep;.*;\[off-cpu\] ' "$tmp/a.folded"
expect_present '^mixed;.*;compute( |;[^\[]*$)' "$tmp/a.folded"
echo "$elapsed us, of which $on_cpu on a CPU; $(folded_total '^mixed;.*;\[off-cpu\] ' "$tmp/a.folded") off"

# A thread that never rests.
burn leaves 600
wait_until is_at_work "$started"
sought=(';main;outer;middle;(heavy|light)( |;)')
began_us=${EPOCHREALTIME/./}
sample_until is_seen -e wall -f -p "$started" 1
expect_between "$(folded_total "^leaves;")" 1 $((${EPOCHREALTIME/./} - began_us)) "microseconds of a thread that computes"

# Threads that are over before a tick comes: their time on a CPU goes to the stacks that later ticks find.
sample -e wall -F 199 -o "$tmp/brief.folded" -o "$tmp/brief.html" -- "$WORKLOADS/brief_threads" 3
read -r on_cpu in_pieces _ <"$tmp/out"
on_cpu_of() { echo $(($(folded_total "$1" "$tmp/brief.folded") - $(folded_total "$1.*;\[off-cpu\] " "$tmp/brief.folded"))); }
# A busy machine may end the run long after the last tick; the summary says how much belongs to no stack.
told=$(told_us '' 'on a CPU fell between')
expect_between $(($(on_cpu_of '^brief_threads;') + ${told:-0})) $((on_cpu * 9 / 10)) $((on_cpu * 12 / 10)) "microseconds on a CPU"
if [[ $told ]]; then
  grep -q '"notes":\[.* on a CPU fell between the ticks and belong to no stack' "$tmp/brief.html" || fail "the page does not say it"
fi
# Some 200 ticks are shared among the stacks, so a quarter of the true time is seven standard deviations away.
expect_between "$(on_cpu_of '^brief_threads;.*;begin_piece;piece')" $((in_pieces / 4)) $((on_cpu * 11 / 10)) "microseconds in the threads"
