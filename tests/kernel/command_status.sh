#!/bin/bash
# `profile -- COMMAND` exits with the command's own status, with 128+N when signal N killed it, and with 126 or 127 when
# it cannot run.
source "$(dirname "$0")/sampling.bash"

for code in 0 1 2 3 126 127 255; do
  profile -f -- sh -c "exit $code"
  expect_status "$code"
  expect_balance
done
for signal in TERM KILL SEGV INT; do
  profile -f -- sh -c "kill -$signal \$\$"
  expect_status $((128 + $(kill -l "$signal")))
  expect_balance
done

# not_run STATUS COMMAND : the command does not run: one line on stderr, and no summary.
not_run() {
  profile -f -- "$2" argument
  expect_status "$1"
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: .*$2"
  expect_silence out
}
echo 'no program' >"$tmp/plain"
not_run 127 "$tmp/absent"
not_run 127 profile-test-no-such-command
not_run 126 "$tmp/plain"
not_run 126 "$tmp"

# A small stack is enough, also for the profiler itself.
if ((SANITIZED == 0)); then
  (ulimit -s 64 && exec "$PROFILE" -q -f -o "$tmp/small.folded" -- "$WORKLOADS/leaves" 0.1cpu) || fail "with a stack of 64 kB: $?"
  grep -q '^leaves;' "$tmp/small.folded" || fail "no samples with a stack of 64 kB"
fi
