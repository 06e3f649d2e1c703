#!/bin/bash
# A server of --push that refuses, is slow, answers nonsense or is not there: one line for each trouble, the run samples
# on, ends soon, and says what it could not send.
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

# What the server will never take goes away, and counts.
behave odd 413
profile -F 199 -p "$busy" --push "parca+http://$address" 0.5
expect_status 1
expect_balance
expect_err 'status 413: the profile is too large'
expect_err "^$recorded samples were refused by parca\+http://$address$"

# A server that never answers holds up the end for some seconds only; so does one that is not there, and one with a
# certificate that nobody trusts.
need_command openssl
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout "$tmp/key" -out "$tmp/certificate" -subj /CN=localhost \
  -addext 'subjectAltName=IP:127.0.0.1' 2>"$tmp/openssl" || fail "openssl: $(<"$tmp/openssl")"
odd=$address
behave odd silent
receive tls "$tmp/certificate" "$tmp/key"
profile -F 199 -p "$busy" --push "parca+http://$odd" --push parca+http://127.0.0.1:1 --push parca+http://name.invalid \
  --push "parca+https://$address" 0.5
expect_status 1
expect_balance
expect_err "^$recorded samples were not sent to parca\+http://$odd before the end$"
expect_equal "$(lines_about '127\.0\.0\.1:1: cannot connect$')" 1 "lines about no server"
expect_equal "$(lines_about 'name\.invalid: no such (host|proxy)$')" 1 "lines about no host"
expect_equal "$(lines_about "parca\+https://$address: its certificate is refused")" 1 "lines about the certificate"
[[ ! -e $tmp/tls/accepted ]] || fail "it was sent to a server with a certificate that nobody trusts"
# One that the user trusts is taken.
chmod 755 "$tmp" # the process that pushes is another user
SSL_CERT_FILE=$tmp/certificate sample -F 199 -p "$busy" --push "parca+https://$address" 0.3
expect_taken tls "$recorded"

# Without the process that pushes, the run goes on to its report.
begin -F 199 -p "$busy" -f --push "parca+https://$address" 1.5
has_pusher() { pusher=$(pgrep -x profile-push -P "$profiler"); }
wait_until has_pusher
kill -KILL "$pusher"
finish
expect_status 1
expect_err 'the process that pushes profiles was ended'
expect_err '^[1-9][0-9]* samples? w[a-z]+ not sent to parca'
expect_balance
expect_folded_total
