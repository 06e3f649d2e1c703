#!/bin/bash
# Help and other texts that cannot be printed: one line and status 1 on a full disk or a closed descriptor, silence and
# 0 when the reader leaves. A signal ends the wait for a FIFO that no process reads.
source "$(dirname "$0")/../lib.sh"

for words in --help --version --list-events '--completion bash' 'report --help' 'diff --help'; do
  # shellcheck disable=SC2086
  "$PROFILE" $words >/dev/full 2>"$tmp/err"
  expect_equal "$?" 1 "status of $words on a full disk"
  expect_equal "$(cat "$tmp/err")" 'profile: cannot write stdout: No space left on device' "words of $words"
  # shellcheck disable=SC2086
  "$PROFILE" $words >&- 2>"$tmp/err"
  expect_equal "$?" 1 "status of $words without a stdout"
  expect_equal "$(cat "$tmp/err")" 'profile: cannot write stdout: Bad file descriptor' "words of $words"
  # shellcheck disable=SC2086
  (set -o pipefail; "$PROFILE" $words 2>"$tmp/err" | true)
  expect_equal "$?" 0 "status of $words for a reader that went away"
  [[ ! -s $tmp/err ]] || fail "$words: $(cat "$tmp/err")"
done

mkfifo "$tmp/fifo"
for signal in INT TERM; do
  timeout -s "$signal" -k 60 0.5 "$PROFILE" -q -f -o "$tmp/fifo" 1
  expect_equal "$?" 124 "ended by SIG$signal before SIGKILL"
done

# An error is one line, whatever name it contains.
profile -q -o $'no\nsuch/place.folded' 1
expect_status 1
expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
