#!/bin/bash
# A reader that closes the pipe ends the profiler, without a message and without a failure.
source "$(dirname "$0")/sampling.bash"
need_timeliness

burn leaves 600/3
leaves=$started
# into READER ARGUMENTS... : READER reads the profiler's stdout.
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

# A run without a time limit ends when its reader ends; otherwise the test would never end.
into 'head -n 5' -F 499 -i 0.2 -p "$leaves"
expect_out '^Sampling at 499 Hertz'

# The same when the profiler writes nothing for a long time.
for format in -f -r; do
  start_us=${EPOCHREALTIME/./}
  into 'sleep 0.2' "$format" -F 499 -p "$leaves" 300
  expect_between $((${EPOCHREALTIME/./} - start_us)) 0 100000000 "microseconds of a run of 300 seconds"
done

# A file beside the pipe still gets its report.
into true -F 499 -p "$leaves" -o - -o "$tmp/a.folded" 0.4
expect_balance
expect_folded_total "$tmp/a.folded"

# The reader of stdout may leave. A pipe that has a name was asked for, so its loss is an error.
mkfifo "$tmp/named.folded"
start head -c 0 "$tmp/named.folded"
profile -F 499 -p "$leaves" -o "$tmp/named.folded" -o "$tmp/beside.folded" 0.4
expect_status 1
expect_err "^profile: cannot write $tmp/named.folded: its reader has gone away\$"
expect_balance
expect_folded_total "$tmp/beside.folded"
