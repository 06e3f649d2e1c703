#!/bin/bash
# The command has the same streams, arguments, directory and variables as without the profiler. It gets no descriptor
# and no blocked or ignored signal from the profiler.
source "$(dirname "$0")/sampling.bash"

# with_and_without COMMAND... : input, output, errors and status are the same.
with_and_without() {
  local input=$'one\n\ttwo words\nthree'
  printf '%s' "$input" | (cd "$tmp" && MARK=here "$@") >"$tmp/own.out" 2>"$tmp/own.err"
  local own=$?
  printf '%s' "$input" | (cd "$tmp" && MARK=here "$PROFILE" -q -o "$tmp/a.folded" -- "$@") >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status "$own"
  cmp "$tmp/own.out" "$tmp/out" || fail "stdout of $*: $(outcome)"
  cmp "$tmp/own.err" "$tmp/err" || fail "stderr of $*: $(outcome)"
}
with_and_without cat
with_and_without sh -c 'cat; echo to stderr >&2; exit 5'
with_and_without printf '[%s]' 'two words' '' '*' -f --help -- --
with_and_without sh -c 'pwd; echo "$MARK"; umask; ulimit -c; ulimit -n'
with_and_without grep -E '^(SigBlk|SigIgn|SigCgt|CapEff|NoNewPrivs|Seccomp)' /proc/self/status
with_and_without sh -c 'ls /proc/self/fd | wc -l'
with_and_without cut -d' ' -f19 /proc/self/stat

# Without -o the report follows the command's own output on stdout.
profile -f -- echo 'the command was here'
expect_status 0
expect_equal "$(head -n 1 "$tmp/out")" 'the command was here'
expect_balance
