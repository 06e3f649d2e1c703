#!/bin/bash
# --store writes the samples of each service to ClickHouse, each once, with what SQL needs to know of them. What a
# program has done for known shares of its time is read back by SQL.
source "$(dirname "$0")/store.bash"

serve_store
burn leaves 60/2
wait_until is_at_work "$started"
sample -F 499 -i 0.4 -f -o "$tmp/run.folded" --label team=shop --store "$url" 1.6
expect_silence out
# A turn that a slow program misses is left out.
expect_err "^stored [2-5] batches with $recorded samples in $as_pattern$"
expect_stored "$recorded"
expect_equal "$(folded_total . "$tmp/run.folded")" "$recorded" "samples of the report beside it"
expect_equal "$(ask "$port" "SELECT DISTINCT event, unit, frequency_hz, host, labels FROM samples WHERE service = 'leaves' FORMAT CSV")" \
  "\"cpu-clock\",\"samples\",499,\"$(uname -n)\",\"['team=shop']\"" "what is said of the samples"
expect_equal "$(ask "$port" "SELECT sum(samples) FROM samples WHERE service = 'leaves'")" "$(folded_total '^leaves;' "$tmp/run.folded")" \
  "samples of a service"
expect_equal "$(ask "$port" "SELECT length(any(version)) FROM samples WHERE service = 'leaves'")" 40 "digits of a version"

# self_shares SERVICE : prints the functions in which the service was itself, with their samples, in percent.
self_shares() {
  ask "$port" "SELECT name, round(100 * sum(samples) / (SELECT sum(samples) FROM samples WHERE service = '$1'), 2) FROM (
      SELECT stack, frame, samples FROM (SELECT stack, sum(samples) AS samples FROM samples WHERE service = '$1' GROUP BY stack)
      ANY LEFT JOIN (SELECT stack, frames[-1] AS frame FROM stacks WHERE service = '$1') USING stack)
    ANY LEFT JOIN (SELECT frame, name FROM frames WHERE service = '$1') USING frame GROUP BY name ORDER BY name"
}
self_shares leaves >"$tmp/shares"
all=$(folded_total '^leaves;' "$tmp/run.folded")
for name in heavy light; do
  in_report=$(awk -v part="$(folded_total "^leaves;.*;$name " "$tmp/run.folded")" -v all="$all" 'BEGIN { printf "%.2f", 100 * part / all }')
  in_store=$(awk -v name="$name" '$1 == name { printf "%.2f", $2 }' "$tmp/shares")
  expect_between "$(awk -v a="${in_store:-0}" -v b="$in_report" 'BEGIN { print a - b }')" -0.02 0.02 "difference of the shares of $name ($(<"$tmp/shares"))"
done

# A user with a password, which is in no URL and in no log.
umask 077
echo secret >"$tmp/auth"
agent=clickhouse+http://agent@127.0.0.1:$port/profiles
before=$(ask "$port" 'SELECT sum(samples) FROM samples')
sample -F 499 -p "$started" --store "$agent" --push-auth-file "$tmp/auth" 0.3
expect_stored "$((before + recorded))"
# What is not "agent:" and a password is a password, and no part of it is told.
for secret in wrong other:secret; do
  PROFILE_PUSH_AUTH=$secret profile -q -F 99 -p "$started" --store "$agent" 0.3
  expect_status 1
  expect_err "--store clickhouse\+http://agent@.*: it wants other credentials: Wrong password for user agent$"
  expect_no_err 'other:|user other'
done

# Several events; and beside another server of profiles.
if has_event off-cpu; then
  profile -F 499 -e cpu-clock -e off-cpu -p "$started" --store "$url" 1
  expect_status 0
  expect_equal "$(ask "$port" "SELECT DISTINCT event, title, unit FROM samples WHERE event = 'off-cpu' FORMAT CSV")" \
    '"off-cpu","Tracing off-CPU time in microseconds","microseconds"' "the words of another event"
fi
