#!/bin/bash
# --push hands a profile of each service to Pyroscope and to Parca: with the labels that these want, beside a report, and
# each sample once.
source "$(dirname "$0")/push.bash"

burn leaves 60/2
busy=$started
need_command setpriv curl
receive servers
begin -F 499 -i 0.4 -f -o "$tmp/run.folded" -T -R 0 --label team=shop --push "pyroscope+http://$address/" \
  --push "parca+http://$address"
wait_until are_accepted servers 12

# What sends has no rights.
pid=$(pgrep -x profile-push -P "$profiler") || fail "there is no process that pushes"
expect_equal "$(awk '/^Uid/ { print $2, $3 }' "/proc/$pid/status")" '2130706435 2130706435' "users of the process that pushes"
for set in CapInh CapPrm CapEff CapAmb; do
  expect_equal "$(awk -v set="$set:" '$1 == set { print $2 }' "/proc/$pid/status")" 0000000000000000 "$set of it"
done
grep -q 'libcurl' "/proc/$pid/maps" || fail "it has no libcurl"
if grep -q 'libcurl' "/proc/$profiler/maps"; then fail "the profiler itself has libcurl"; fi
page=$(grep -o 'http://[^ ]*' "$tmp/err")
are_in_metrics() {
  curl -s "${page}metrics" >"$tmp/metrics"
  grep -Eq '^profile_push_samples_sent_total\{target="pyro.*\} [1-9]' "$tmp/metrics"
}
wait_until are_in_metrics
for metric in requests_sent_total samples_sent_total tries_failed_total samples_lost_total waiting_samples waiting_bytes; do
  grep -Fq "profile_push_$metric{target=\"parca+http://$address\"} " "$tmp/metrics" || fail "/metrics has no $metric"
done

kill -INT "$profiler"
finish
expect_status 0
expect_balance
[[ ! -s $tmp/servers/wrong ]] || fail "$(<"$tmp/servers/wrong")"
for path in /push.v1.PusherService/Push /api/profiles/writeraw; do
  expect_equal "$(samples_of servers "$path")" "$recorded" "samples at $path"
done
expect_equal "$(folded_total . "$tmp/run.folded")" "$recorded" "samples of the report beside it"
expect_err "^pushed [0-9]+ profiles with $recorded samples to parca\+http://$address$"

host=$(uname -n)
for name in service_name service; do
  accepted servers | grep -Eq " __name__=process_cpu host=$host $name=leaves team=shop version=[0-9a-f]+$" || fail "the labels with $name: $(accepted servers | grep leaves | head -n 1)"
done
folded_of servers '=leaves ' >"$tmp/leaves"
expect_present '^leaves;(.*;)?main;outer;middle;heavy ' "$tmp/leaves"
if grep -v '^leaves;' "$tmp/leaves"; then fail "the profile of a service has other processes"; fi
expect_equal "$(accepted servers | grep -v ' - ' | cut -d ' ' -f 3 | sort | uniq -d | wc -l)" 0 "ids that two profiles have"

# Go's own tool reads what was sent.
if command -v go >/dev/null; then
  number=$(accepted servers | grep -E '=leaves ' | head -n 1 | cut -d ' ' -f 1)
  HOME=$tmp go tool pprof -top "$tmp/servers/$number.pb.gz" >"$tmp/top" 2>&1 || fail "go tool pprof: $(<"$tmp/top")"
  grep -qw heavy "$tmp/top" || fail "go tool pprof has no function: $(<"$tmp/top")"
fi

# A proxy that the environment names is asked.
http_proxy=http://$address sample -F 499 -p "$busy" --push parca+http://store.invalid 0.3
expect_err "^pushed [0-9]+ profiles? with $recorded samples to parca\\+http://store\\.invalid$"

# Nothing is printed but the summary, and credentials come from a file that only its owner may read, or the environment.
umask 077
echo 'user:secret' >"$tmp/auth"
sample -F 499 -p "$busy" --push-auth-file "$tmp/auth" --push "pyroscope+http://$address" 0.3
expect_silence out
expect_equal "$(<"$tmp/servers/credentials")" "Basic $(printf user:secret | base64)" "credentials of a user"
export PROFILE_PUSH_AUTH=a-token
sample -F 499 -p "$busy" --push "pyroscope+http://$address" 0.3
expect_equal "$(<"$tmp/servers/credentials")" 'Bearer a-token' "a token"
expect_no_err 'secret|a-token'
profile --push "pyroscope+http://$address" --push "parca+http://localhost" 1
expect_status 1
expect_err "one server's credentials are not for another"
unset PROFILE_PUSH_AUTH
chmod 640 "$tmp/auth"
profile --push-auth-file "$tmp/auth" --push "pyroscope+http://$address" 1
expect_status 1
expect_err '^profile: --push-auth-file .*/auth: others may read it'
chmod 600 "$tmp/auth"
chown 65534 "$tmp/auth"
profile --push-auth-file "$tmp/auth" --push "pyroscope+http://$address" 1
expect_status 1
expect_err '^profile: --push-auth-file .*/auth: it belongs to another user'
mkfifo -m 600 "$tmp/pipe"
profile --push-auth-file "$tmp/pipe" --push "pyroscope+http://$address" 1
expect_status 1
expect_err '^profile: --push-auth-file .*/pipe: not an ordinary file'
# A name is not a loopback address because it begins like one.
chown 0 "$tmp/auth"
profile -F 499 -p "$busy" --push-auth-file "$tmp/auth" --push 'pyroscope+http://127.evil.invalid' 0.3
expect_err '^profile: --push pyroscope\+http://127.evil.invalid: the credentials are sent without encryption'

# A service of several events has a profile for each.
if has_event off-cpu; then
  profile -F 499 -e cpu-clock -e off-cpu -p "$busy" --push "parca+http://$address" 1
  expect_status 0
  for name in process_cpu off_cpu; do accepted servers | grep -q "writeraw - __name__=$name .*service=leaves" || fail "no profile $name"; done
fi

# What reads the files of others does not get the credentials from the environment, and neither does the command.
PROFILE_PUSH_AUTH=secret-of-nobody profile -q --push "pyroscope+http://$address/" -- bash -c 'echo "own ${PROFILE_PUSH_AUTH-none}"
  for other in $(pgrep -x "profile-(keeper|opener|parser|fetcher)"); do
    echo "$(cat "/proc/$other/comm") $(tr "\0" "\n" <"/proc/$other/environ" | grep -c secret-of-nobody)"
  done'
expect_status 0
grep -qx 'own none' "$tmp/out" || fail "the command has them"
grep -q '^profile-parser 0$' "$tmp/out" || fail "no parser was seen"
if grep -E '^profile-.* [1-9]' "$tmp/out"; then fail "another child has them"; fi
