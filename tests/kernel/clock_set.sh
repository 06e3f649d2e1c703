#!/bin/bash
# The clock is set forwards and back during a run: the stream's times follow it and no sample is lost. Files have the
# names of their time, intervals continue, and --keep leaves the files that were written last. The machine's clock stays
# as it is: a preloaded library gives the profiler another one.
source "$(dirname "$0")/stream.bash"
((SANITIZED == 0)) || skip "nothing can be preloaded before the sanitizers"

day_ns=86400000000000
# set_clock DAYS : from now on the profiler's clock is this far ahead.
set_clock() { python3 -c 'import struct, sys; open(sys.argv[1], "r+b").write(struct.pack("=q", int(sys.argv[2])))' "$tmp/ahead" $(($1 * day_ns)); }
truncate -s 8 "$tmp/ahead"
set_clock 0
ahead=(env "LD_PRELOAD=$WORKLOADS/libset_clock.so" "SET_CLOCK=$tmp/ahead")
# days_ahead UNIX_NS : prints how many days the time is ahead of the real one, rounded.
days_ahead() { echo $((($1 - ${EPOCHREALTIME/[.,]/}000 + 100 * day_ns + day_ns / 2) / day_ns - 100)); }

burn leaves 600
leaves=$started
wait_until is_at_work "$leaves"

# The stream.
begin --stream=folded -F 499 -p "$leaves"
streams_at() {
  local last
  last=$(tail -n 2 "$tmp/out" | head -n 1)
  [[ $last =~ ^([0-9]{19})\  && $(days_ahead "${BASH_REMATCH[1]}") == "$1" ]]
}
for days in 0 2 -3 1; do
  set_clock $days
  wait_until streams_at $days
done
kill -INT "$profiler"
finish
expect_status 0
expect_balance
read_stream folded "$tmp/out" 'main;outer;middle;(heavy|light)'
expect_equal "$delivered" "$recorded" "samples of a stream while the clock was set"
expect_equal "$(days_ahead "$first_ns") $(days_ahead "$last_ns")" "-3 2" "days of the first and the last sample"
# Between two jumps the times are continuous: a run of half a minute has no gap of a day.
awk '{ days = int(($1 - before) / 86400e9 + ($1 > before ? 0.5 : -0.5)); if (NR > 1 && days != 0) print days; before = $1 }' "$tmp/out" >"$tmp/jumps"
expect_equal "$(tr '\n' ' ' <"$tmp/jumps")" "2 -5 4 " "jumps of the times, in days"

# Interval files that are named by their time.
mkdir "$tmp/files"
files() { find "$tmp/files" -name 'at-*'; }
are_of() {
  local file all=0
  for file in $(files); do
    file=${file##*/at-}
    [[ $(days_ahead "${file%%[~.]*}000000000") == "$1" ]] || return
    all=$((all + 1))
  done
  ((all == 3))
}
begin -F 499 -i 0.2 --keep 3 -p "$leaves" -o "$tmp/files/at-%s.folded" -o "$tmp/all.folded"
for days in 0 2 -3 1; do
  set_clock $days
  wait_until are_of $days
done
kill -INT "$profiler"
finish
expect_status 0
expect_balance
expect_folded_total "$tmp/all.folded"
expect_equal "$(files | wc -l)" 3 "files that are kept"
