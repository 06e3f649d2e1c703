#!/bin/bash
# Who reads no further ends the profiler, without a word and without a failure.
source "$(dirname "$0")/sampling.bash"
need_timeliness

burn leaves 600/3
leaves=$started
# into READER ARGUMENTS... : the profiler's stdout is read by READER.
into() {
  { "$PROFILE" "${@:2}" 2>"$tmp/err" </dev/null; echo $? >"$tmp/status"; } | $1 >"$tmp/out"
  status=$(cat "$tmp/status")
  expect_status 0
  expect_no_err '[Pp]ipe|profile:'
}
into true -F 499 -p "$leaves" 0.4
into true -f -F 499 -p "$leaves" 0.4
into true -q -r -F 499 -p "$leaves" 0.4
expect_silence err

# A run without an end is over when its reader is, and the test with it.
into 'head -n 5' -F 499 -i 0.2 -p "$leaves"
expect_out '^Sampling at 499 Hertz'

# Also where nothing is to be written for long.
for format in -f -r; do
  start_us=${EPOCHREALTIME/./}
  into 'sleep 0.2' "$format" -F 499 -p "$leaves" 300
  expect_between $((${EPOCHREALTIME/./} - start_us)) 0 100000000 "microseconds of a run of 300 seconds"
done

# A file beside the pipe gets its report.
into true -F 499 -p "$leaves" -o - -o "$tmp/a.folded" 0.4
expect_balance
expect_folded_total "$tmp/a.folded"

# Stdout's reader may go; a pipe that was named was to have the report.
mkfifo "$tmp/named.folded"
start head -c 0 "$tmp/named.folded"
profile -F 499 -p "$leaves" -o "$tmp/named.folded" -o "$tmp/beside.folded" 0.4
expect_status 1
expect_err "^profile: cannot write $tmp/named.folded: its reader has gone away\$"
expect_balance
expect_folded_total "$tmp/beside.folded"
