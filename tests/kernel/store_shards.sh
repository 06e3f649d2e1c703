#!/bin/bash
# Two servers are two shards: two agents write to one each, and both are read together through a Distributed table. What
# --cluster makes is as these tables are; on a server without a TTL, old days are dropped.
source "$(dirname "$0")/store.bash"

read -r -a ports < <(free_ports 4)
for name in one two; do
  make_server "$name" "${ports[@]:0:2}" "${ports[1]}" "${ports[3]}"
  start_server "$name"
  curl -s "http://127.0.0.1:${ports[0]}/" --data-binary 'CREATE DATABASE profiles'
  ports=("${ports[@]:2}" "${ports[@]:0:2}")
done
one=clickhouse+http://127.0.0.1:${ports[0]}/profiles
two=clickhouse+http://127.0.0.1:${ports[2]}/profiles
for url in "$one" "$two"; do
  profile store init "$url"
  expect_status 0
done

burn leaves 60/2
busy=$started
# One host is called as it is, the other one by a label.
sample -F 499 -p "$busy" --store "$one" 0.5
all=$recorded
sample -F 499 -p "$busy" --store "$two" --label host=another 0.5
expect_stored "$all" "${ports[0]}"
expect_stored "$recorded" "${ports[2]}"
all=$((all + recorded))

# ON CLUSTER needs ZooKeeper, so the Distributed tables are made on one server, by the same statements.
profile store init --cluster shards --dry-run "$one"
expect_status 0
expect_equal "$(grep -c '^CREATE TABLE IF NOT EXISTS [a-z_]* ON CLUSTER `shards` (.*;$' "$tmp/out")" 6 "statements for a cluster"
grep -F 'Distributed(' "$tmp/out" | sed 's/ ON CLUSTER `shards`//; s/;$//' >"$tmp/distributed"
expect_equal "$(wc -l <"$tmp/distributed")" 3 "Distributed tables"
while read -r sql; do ask "${ports[0]}" "$sql"; done <"$tmp/distributed"
expect_equal "$(ask "${ports[0]}" 'SELECT sum(samples), uniq(host) FROM all_samples')" "$all"$'\t2' "samples of both shards and their hosts"
expect_equal "$(ask "${ports[0]}" "SELECT uniq(stack) FROM all_stacks WHERE stack GLOBAL IN (SELECT stack FROM all_samples)")" \
  "$(ask "${ports[0]}" 'SELECT uniq(stack) FROM all_samples')" "stacks of both"
for words in "$one:$all" "$two:$recorded" "$one --host another:$recorded" "$one --service leav*:$all"; do
  read -r -a arguments <<<"${words%:*}"
  profile report -q -f "${arguments[@]}"
  expect_status 0
  expect_silence err
  expect_equal "$(folded_total . "$tmp/out")" "${words##*:}" "samples of a report of ${words%:*}"
  expect_present '^leaves;(.*;)?main;outer;middle;heavy '
done

# Old days go, from all tables; the newest stay. Nothing is dropped that was not asked for.
ask "${ports[2]}" "INSERT INTO samples(time, service) VALUES (toDateTime('2020-02-03 04:05:06'), 'old')"
ask "${ports[2]}" "INSERT INTO stacks(day, service) VALUES ('2020-02-03', 'old')"
profile store init "$two"
expect_equal "$(ask "${ports[2]}" "SELECT count() FROM samples WHERE service = 'old'")" 1 "old rows"
profile store init --ttl 30 --dry-run "$two"
expect_equal "$(grep -c 'DROP PARTITION 20200203;$' "$tmp/out")" 2 "days that would be dropped"
profile store init --ttl 30 "$two"
expect_status 0
expect_err 'dropped 2 old days of tables; this server cannot do that by itself'
expect_equal "$(ask "${ports[2]}" "SELECT count() FROM samples WHERE service = 'old'")" 0 "old rows"
expect_equal "$(ask "${ports[2]}" "SELECT count() FROM stacks WHERE service = 'old'")" 0 "old stacks"
expect_stored "$recorded" "${ports[2]}"

# Tables of another form, and servers that refuse.
curl -s "http://127.0.0.1:${ports[0]}/" --data-binary 'CREATE DATABASE odd'
curl -s "http://127.0.0.1:${ports[0]}/?database=odd" --data-binary 'CREATE TABLE samples (time DateTime) ENGINE = Memory'
# refuse WORDS ARGUMENT... : store init says one line, and exits with status 1.
refuse() {
  profile store init "${@:2}"
  expect_status 1
  expect_silence out
  expect_equal "$(wc -l <"$tmp/err")" 1 "lines on stderr"
  expect_err "^profile: clickhouse\+http://.*: $1"
}
refuse 'the table samples is not a MergeTree table partitioned by day and ordered by service, event, time; another' "${one%profiles}odd"
ask "${ports[0]}" 'DROP TABLE stacks'
ask "${ports[0]}" 'CREATE TABLE stacks (day Date, service String, stack UInt64, frames Array(UInt32)) ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMMDD(day) ORDER BY (service, stack)'
refuse 'the table stacks lacks the column frames; another program or version made it$' "$one"
refuse "Database none doesn't exist$" "${one%profiles}none"
refuse "Requested cluster 'none' not found$" --cluster none "$two"
refuse 'it wants other credentials: Password required for user agent$' "${two/http:\/\//http://agent@}"
refuse 'cannot connect$' clickhouse+http://127.0.0.1:1/profiles
refuse 'no such host$' clickhouse+http://name.invalid/profiles
profile -q -F 99 -p "$busy" --store "$one" 0.3
expect_status 1
expect_err "^profile: --store .*: the table's column stacks.frames is not as this program makes it$"
