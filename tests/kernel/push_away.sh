#!/bin/bash
# A server of --push that never answers, is not there, or has a certificate that nobody trusts: the run ends soon, and
# says what it could not send. So it does without the process that sends.
source "$(dirname "$0")/push.bash"
need_command openssl

burn leaves 60/2
busy=$started
# lines_about PATTERN : the number of lines on stderr.
lines_about() { grep -cE -- "$1" "$tmp/err"; }

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$tmp/key" -out "$tmp/certificate" -subj /CN=localhost \
  -addext 'subjectAltName=IP:127.0.0.1' 2>"$tmp/openssl" || fail "openssl: $(<"$tmp/openssl")"
receive odd
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
begin_counted -F 199 -p "$busy" -o - --push "parca+https://$address" 1
kill -KILL "$(pgrep -x profile-push -P "$profiler")"
finish
expect_status 1
expect_err 'the process that pushes profiles was ended'
expect_err '^[1-9][0-9]* samples? w[a-z]+ not sent to parca'
expect_balance
expect_equal "$(counted_total)" "$recorded" "samples of the report"
