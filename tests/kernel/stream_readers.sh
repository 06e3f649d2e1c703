#!/bin/bash
# A reader that is slow, stops or leaves never delays the profiler. Samples that cannot be kept are counted.
source "$(dirname "$0")/stream.bash"

need_cpus
# The sampled CPU is busy, so there is always a sample.
burn pinned "$cpu" 1200
pinned=$started
wait_until is_at_work "$pinned"
find_precedence
# Shallow stacks give the smallest ring, which is full soon.
flood=(-F 10000 -C "$cpu" --max-stack-depth 16)
mkfifo "$tmp/pipe"
kept=$tmp/kept
cat >"$tmp/slow_reader.py" <<'PYTHON'
import os, sys, time

# Some 400 KB a second until it is told to hurry.
with open(sys.argv[1], "wb") as kept:
    while chunk := os.read(0, 4096):
        kept.write(chunk)
        if not os.path.exists(sys.argv[2]):
            time.sleep(0.01)
PYTHON

cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$profiler/stat"; }

# begin_slowly FORM : starts such a run with the slow reader.
begin_slowly() {
  rm -f "$tmp/hurry" "$kept"
  python3 "$tmp/slow_reader.py" "$kept" "$tmp/hurry" <"$tmp/pipe" &
  reader=$!
  background+=("$reader")
  begin_into "$tmp/pipe" --stream="$1" "${flood[@]}"
  wait_until test -s "$kept"
}
# end_slowly : ends the profiler before the reader has read everything. After that the reader reads the rest.
end_slowly() {
  kill -INT "$profiler"
  expect_end_within 60000
  expect_status 0
  kill -CONT "$reader"
  touch "$tmp/hurry"
  wait "$reader"
  unset 'background[-1]'
  expect_balance_with_losses
}

# The reader takes a tenth of the data, so the ring becomes full. The time depends on the CPU time that other programs
# leave.
for hundredths in 200 800 3200; do
  begin_slowly json
  let_work "$pinned" $hundredths
  end_slowly
  if ((lost > unwritten)); then break; fi
done
((lost > unwritten)) || fail "nothing was lost; $(outcome)"
# The profiler read some samples early, because programs had ended.
expect_err "$lost lost \([0-9]+ ring buffer full\)( \([0-9]+ not read in time\))?[;,]"
# The stacks may be anything, because chance decides which program ran in the moments that the reader got.
read_stream json "$kept" '' 100
expect_equal "$delivered" "$recorded" "samples written"

# The reader is stopped.
begin_slowly folded
kill -STOP "$reader"
let_work "$pinned" 200
before=$(cpu_ticks)
before_us=${EPOCHREALTIME/./}
sleep 1
# A profiler that polls instead of waiting would take half of a CPU or more.
expect_between $(($(cpu_ticks) - before)) 0 $((20 + (${EPOCHREALTIME/./} - before_us) / 40000)) \
  "hundredths of a second of CPU time while nobody reads"
end_slowly
((unwritten > 0)) || fail "all was written; $(outcome)"
read_stream folded "$kept" '' 100
expect_equal "$delivered" "$recorded" "samples written"

# The reader leaves.
{ "$PROFILE" --stream=json -F 999 -p "$pinned" 2>"$tmp/err" </dev/null; echo $? >"$tmp/status"; } | head -n 5 >"$tmp/out"
status=$(cat "$tmp/status")
expect_status 0
expect_no_err '[Pp]ipe|profile:'
expect_equal "$(wc -l <"$tmp/out")" 5 "lines read"
read_stream json "$tmp/out" 'main;burn_pinned' 80
# The same when no sample comes that would be written.
start sleep 600
wait_until is_asleep "$started"
before=${EPOCHREALTIME/./}
# shellcheck disable=SC2216
{ "$PROFILE" --stream=json -F 999 -p "$started" 2>"$tmp/err" </dev/null; echo $? >"$tmp/status"; } | sleep 0.5
expect_between $((${EPOCHREALTIME/./} - before)) 0 60000000 "microseconds of the run, of 600 s that the process goes on"
expect_equal "$(cat "$tmp/status")" 0 "status"
expect_no_err '[Pp]ipe|profile:'
