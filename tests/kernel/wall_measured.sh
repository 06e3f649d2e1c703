#!/bin/bash
# -e wall: the time of a program, on a CPU and off, is the time it ran, with each kind in the right place, within a few
# per cent; also of one that makes a thread for each millisecond of work.
source "$(dirname "$0")/sampling.bash"
need_event wall

sample -e wall -F 199 -o "$tmp/a.folded" -o "$tmp/a.txt" -- "$WORKLOADS/mixed" 3
read -r elapsed on_cpu <"$tmp/out"
# The program does not count its waits for a CPU before and after main().
expect_between "$(folded_total '^mixed;.*;main;' "$tmp/a.folded")" "$((elapsed * 98 / 100))" "$((elapsed * 102 / 100))" "microseconds"
expect_equal "$(counted_total "$tmp/a.txt")" "$(folded_total . "$tmp/a.folded")" "total of the counted rows"
expect_present ';main;.*;hrtimer_nanosleep;.*;\[off-cpu\] ' "$tmp/a.folded"

# A thread that never rests, with a CPU of its own if possible: all of its time is there.
burn leaves 600
sample -e wall -f -p "$started" -o - -o "$tmp/a.pb.gz" 2
all_us=$(length_us "$tmp/a.pb.gz")
expect_between "$(folded_total "^leaves;")" $((all_us * 98 / 100 - 40000)) $((all_us * 102 / 100)) "microseconds of a thread that computes"

# How the program's own time is divided.
need_timeliness
off=$(folded_total '^mixed;.*;main;.*;\[off-cpu\] ' "$tmp/a.folded")
expect_between "$off" "$(((elapsed - on_cpu) * 97 / 100))" "$(((elapsed - on_cpu) * 103 / 100))" "microseconds off the CPU"
# CPU time between the last tick and a switch gets the stack of the switch. On a busy machine this is common.
expect_between "$(folded_total '^mixed;.*;compute( |;[^\[]*$)' "$tmp/a.folded")" "$((on_cpu * 80 / 100))" "$((on_cpu * 103 / 100))" \
  "microseconds in compute"

# Threads that are over before a tick comes, at the rate that runs have by default.
sample -e wall -o "$tmp/brief.folded" -- "$WORKLOADS/brief_threads" 3
read -r on_cpu _ lived <"$tmp/out"
told=$(told_us '' 'on a CPU fell between the ticks')
all=$(folded_total '^brief_threads;' "$tmp/brief.folded")
off=$(folded_total '^brief_threads;.*;\[off-cpu\] ' "$tmp/brief.folded")
echo "$on_cpu us on a CPU of $lived; rows: $((all - off)) on and $off off, ${told:-0} between the ticks"
expect_between $((all - off + ${told:-0})) $((on_cpu * 98 / 100)) $((on_cpu * 102 / 100)) "microseconds on a CPU"
expect_between "${told:-0}" 0 $((on_cpu / 10)) "microseconds that belong to no stack"
expect_between $((all + ${told:-0})) $((lived * 98 / 100)) $((lived * 102 / 100)) "microseconds of all threads"
