#!/bin/bash
# `store init --cluster` makes the tables of a real cluster: two servers, and ZooKeeper, by which they agree on what ON
# CLUSTER makes. Two agents write to one server each, and both are read together.
source "$(dirname "$0")/store.bash"
zookeeper=/usr/share/zookeeper/bin/zkServer.sh
[[ -x $zookeeper ]] || skip "there is no ZooKeeper here (Debian: zookeeper)"

read -r -a ports < <(free_ports 5)
keeper=${ports[4]}
mkdir "$tmp/keeper"
cat >"$tmp/keeper/zoo.cfg" <<CONFIG
dataDir=$tmp/keeper/data
clientPort=$keeper
clientPortAddress=127.0.0.1
admin.enableServer=false
CONFIG
start env ZOO_LOG_DIR="$tmp/keeper" "$zookeeper" start-foreground "$tmp/keeper/zoo.cfg"
is_port_open() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
wait_until is_port_open "$keeper"
for name in one two; do
  make_server "$name" "${ports[@]:0:2}" "${ports[1]}" "${ports[3]}"
  sed -i "s|^</yandex>|<zookeeper><node><host>127.0.0.1</host><port>$keeper</port></node></zookeeper><distributed_ddl><path>/ddl</path></distributed_ddl></yandex>|" "$tmp/$name/config.xml"
  ports=("${ports[@]:2:2}" "${ports[@]:0:2}" "$keeper")
done
for name in one two; do
  start_server "$name"
  curl -s "http://127.0.0.1:$(sed -n 's|.*<http_port>\([0-9]*\)<.*|\1|p' "$tmp/$name/config.xml")/" --data-binary 'CREATE DATABASE profiles'
done
one=clickhouse+http://127.0.0.1:${ports[0]}/profiles
two=clickhouse+http://127.0.0.1:${ports[2]}/profiles

profile store init --cluster shards "$one"
expect_status 0
expect_err ': the tables are made$'
# Once more: they are there, on both.
for url in "$one" "$two"; do
  profile store init --cluster shards "$url"
  expect_status 0
done
for port in "${ports[0]}" "${ports[2]}"; do
  expect_equal "$(ask "$port" "SELECT count() FROM system.tables WHERE database = 'profiles'")" 6 "tables of the server at $port"
done

burn leaves 60/2
busy=$started
sample -F 499 -p "$busy" --store "$one" 0.5
all=$recorded
sample -F 499 -p "$busy" --store "$two" --label host=another 0.5
all=$((all + recorded))
for port in "${ports[0]}" "${ports[2]}"; do
  expect_equal "$(ask "$port" 'SELECT sum(samples), uniq(host) FROM all_samples')" "$all"$'\t2' "samples of both shards and their hosts"
done
profile report -q -f "$two"
expect_status 0
expect_equal "$(folded_total . "$tmp/out")" "$all" "samples of a report of both"

# Old days go on both.
for port in "${ports[0]}" "${ports[2]}"; do
  ask "$port" "INSERT INTO samples(time, service) VALUES (toDateTime('2020-02-03 04:05:06'), 'old')"
done
profile store init --cluster shards --ttl 30 "$one"
expect_status 0
for port in "${ports[0]}" "${ports[2]}"; do
  expect_equal "$(ask "$port" "SELECT count() FROM samples WHERE service = 'old'")" 0 "old rows of the server at $port"
done
