#!/bin/bash
# A server of --push that refuses, answers nonsense or does not answer: one line for each trouble, and when it is well
# again, it gets everything once. What it will never take is counted.
source "$(dirname "$0")/push.bash"

burn leaves 60/2
busy=$started
# lines_about PATTERN : the number of lines on stderr.
lines_about() { grep -cE -- "$1" "$tmp/err"; }

# Each way to fail; when the server is well again, it gets everything once.
receive odd
while read -r word words; do
  behave odd "$word"
  begin -F 199 -p "$busy" -i 0.1 --push "pyroscope+http://$address"
  wait_until is_refused odd " $word" 1
  behave odd
  kill -INT "$profiler"
  finish
  expect_status 0
  expect_balance
  expect_taken odd "$recorded"
  expect_equal "$(lines_about "^profile: --push pyroscope\+http://$address: ")" 1 "lines when it answers with $word"
  expect_err "^profile: --push pyroscope\+http://$address: $words"
  rm "$tmp/odd/accepted"
done <<'ANSWERS'
401 status 401: .*--push-auth-file
403 status 403: it does not permit this$
429 status 429: too many requests$
500 status 500: it has an error$
endless status 503: it has an error$
garbage .* is not HTTP
hangup it broke off the connection$
ANSWERS

# One that is slow is waited for.
behave odd slow
sample -F 199 -p "$busy" -i 0.4 --push "pyroscope+http://$address" 0.8
expect_taken odd "$recorded"
rm "$tmp/odd/accepted"

# What the server will never take goes away, and counts.
behave odd 413
profile -F 199 -p "$busy" --push "parca+http://$address" 0.5
expect_status 1
expect_balance
expect_err 'status 413: the profile is too large'
expect_err "^$recorded samples were refused by parca\+http://$address$"

# A server that takes a profile and does not say so gets it again, with the same id.
behave odd lost
begin -F 199 -p "$busy" -i 0.1 --push "pyroscope+http://$address"
wait_until are_accepted odd 1
behave odd
kill -INT "$profiler"
finish
expect_status 0
expect_balance
accepted odd | sort -u -k 3,3 >"$tmp/once"
(($(accepted odd | wc -l) > $(wc -l <"$tmp/once"))) || fail "nothing was sent again"
mv "$tmp/once" "$tmp/odd/accepted"
expect_taken odd "$recorded"
